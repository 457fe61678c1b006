//! Runs a test binary compiled to WebAssembly in a real browser.
//!
//! Cargo starts it as the runner of `wasm32-unknown-unknown` (see `.cargo/config.toml`), with the path of the test binary and
//! the arguments of the test. It is the test runner of wasm-bindgen, built from the version in `Cargo.lock`: nobody has to
//! install a tool, and its version cannot drift from that of the library. It is a crate of its own so that only those who
//! run the tests of the page pay for building it.
//!
//! The browser's driver is `$CHROMEDRIVER`, or `chromedriver` from `PATH`.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())
}
