//! The page: Rust compiled to WebAssembly, plus what a browser needs around it, written to `dist/`.
//!
//! 1. cargo builds `rowlock-frontend` for `wasm32-unknown-unknown`;
//! 2. wasm-bindgen, here a library, writes the JavaScript that carries values over the border;
//! 3. [`html`] turns the `data-trunk` links of the root's `index.html` into plain tags;
//! 4. [`dist`] writes each file whose bytes changed, and its `.br` and `.gz` beside it.
//!
//! All addresses in the result are relative, so that the page works below any path; no script stands in the HTML, so that a
//! strict content security policy holds. The root's `index.html` also serves `trunk`, for whoever has it.

mod dist;
mod html;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use wasm_bindgen_cli_support::Bindgen;

use crate::shell;
use dist::Dist;

/// The target of the page; also the name of its folder in a target directory.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The name of the page's files: `rowlock.js`, `rowlock_bg.wasm`.
const NAME: &str = "rowlock";

/// How to build the page.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Build quickly instead of small: no optimisation, no compressed files
    #[arg(long)]
    pub(crate) dev: bool,
}

/// A target directory of its own: the page then never waits for the lock of another cargo, and never makes one wait.
pub(crate) fn target_dir() -> PathBuf {
    shell::root().join("target/page")
}

/// Builds the page into `dist/`.
///
/// # Errors
/// When the wasm target cannot be had, the page does not compile, or `dist/` cannot be written.
pub(crate) fn build(options: &Options) -> anyhow::Result<()> {
    crate::setup::wasm_target()?;
    let (profile, folder) = if options.dev { ("dev", "debug") } else { ("page", "page") };
    let expect = if options.dev { "from clean about 1 min" } else { "from clean about 1-2 min; --dev is quicker" };
    shell::stage("page: compiling to WebAssembly", expect, || {
        shell::run(
            shell::cargo()
                .args(["build", "-p", "rowlock-frontend", "--target", WASM, "--profile", profile, "--target-dir"])
                .arg(target_dir()),
        )
    })?;
    let wasm = target_dir().join(WASM).join(folder).join("rowlock-frontend.wasm");
    shell::stage("page: writing dist/", "", || write(&wasm, !options.dev))
}

fn write(wasm: &Path, compress: bool) -> anyhow::Result<()> {
    let root = shell::root();
    let mut dist = Dist::open(root.join("dist"), compress)?;
    bind(wasm, &mut dist)?;

    dist.put("style.css", styles(&root.join("frontend/style"))?.as_bytes())?;
    let index = root.join("index.html");
    let index = fs::read_to_string(&index).with_context(|| format!("cannot read {}", index.display()))?;
    dist.put("index.html", html::plain(&index, NAME)?.as_bytes())?;
    dist.put("boot.js", html::boot(NAME).as_bytes())?;
    let assets = root.join("frontend/assets");
    if assets.is_dir() {
        dist.put_folder(&assets, Path::new("assets"))?;
    }
    eprintln!("    {}", dist.finish()?);
    Ok(())
}

/// Runs wasm-bindgen and puts all that it generates: one `.js`, one `.wasm`, and snippets where a crate brings JavaScript.
fn bind(wasm: &Path, dist: &mut Dist) -> anyhow::Result<()> {
    let generated = target_dir().join("bindgen");
    // Snippets of an earlier build must not linger.
    if generated.exists() {
        fs::remove_dir_all(&generated)?;
    }
    Bindgen::new()
        .input_path(wasm)
        .out_name(NAME)
        .web(true)?
        .typescript(false)
        // The library, unlike its command line, leaves out by default where the script finds its .wasm.
        .omit_default_module_path(false)
        // Names stay in a quick build, for readable stack traces.
        .remove_name_section(dist.compresses())
        .remove_producers_section(true)
        .generate(&generated)
        .with_context(|| format!("wasm-bindgen could not read {}", wasm.display()))?;
    dist.put_folder(&generated, Path::new(""))
}

/// All style sheets of the page in the order of their names, as one text.
fn styles(folder: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    if folder.is_dir() {
        for path in dist::files(folder)? {
            if path.extension().is_some_and(|extension| extension == "css") {
                text += &fs::read_to_string(&path)?;
                text.push('\n');
            }
        }
    }
    Ok(text)
}
