//! The catalogue is read when the crate is compiled: a new or changed file in `locales` must compile it again.

fn main() {
    println!("cargo::rerun-if-changed=locales");
}
