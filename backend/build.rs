//! The page is embedded from `dist/`, which `cargo xtask` builds. Without it the server compiles all the same, with a page
//! that says what to type.

use std::path::Path;

const PLACEHOLDER: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Rowlock</title>\n\
    <p>The page is not built. <code>cargo xtask run</code> builds it, then the server.</p>\n\
    <p>Страница не собрана. <code>cargo xtask run</code> соберёт её, а затем сервер.</p>\n</html>\n";

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=../dist");
    println!("cargo::rerun-if-changed=../migrations");
    let index = Path::new("../dist/index.html");
    if !index.is_file() {
        std::fs::create_dir_all("../dist")?;
        std::fs::write(index, PLACEHOLDER)?;
    }
    Ok(())
}
