//! Installs what is missing: the wasm target always, browser and PostgreSQL for the tests.
//!
//! It installs only as root on Debian or Ubuntu. Elsewhere it says in one line what to install, and stops.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::page::WASM;
use crate::postgres::{self, Server};
use crate::shell;

/// The names under which Chromium goes; the browser's driver knows where to look for them.
const BROWSERS: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Where Debian keeps what `pg_createcluster` does when the server's package is installed.
const CLUSTER_CONF: &str = "/etc/postgresql-common/createcluster.conf";

/// Installs everything the tests need, and returns the PostgreSQL servers found, oldest first.
///
/// # Errors
/// When something is missing and cannot be installed from here; the message says what to install.
pub(crate) fn everything() -> anyhow::Result<Vec<Server>> {
    wasm_target()?;
    packages()?;
    let servers = postgres::find_and_fetch()?;
    for server in &servers {
        eprintln!("    PostgreSQL {} in {}", server.version, server.bin.display());
    }
    Ok(servers)
}

/// Adds the standard library for WebAssembly where the toolchain lacks it.
///
/// # Errors
/// Where there is no rustup to add it with, or it fails.
pub(crate) fn wasm_target() -> anyhow::Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = shell::output(Command::new(rustc).args(["--print", "target-libdir", "--target", WASM]));
    if folder.is_some_and(|folder| Path::new(&folder).is_dir()) {
        return Ok(());
    }
    if !shell::has_program("rustup") {
        bail!(
            "this Rust cannot build for {WASM} and there is no rustup: install that target with whatever installed Rust (Debian: libstd-rust-dev-wasm32)"
        );
    }
    shell::stage("adding the Rust target for WebAssembly", "a download of about 20 MB", || {
        shell::run(Command::new("rustup").args(["target", "add", WASM]))
    })
}

fn packages() -> anyhow::Result<()> {
    let mut missing = Vec::new();
    let is_ubuntu =
        fs::read_to_string("/etc/os-release").is_ok_and(|text| text.lines().any(|line| line == "ID=ubuntu"));
    let (browser, driver) =
        if is_ubuntu { ("chromium-browser", "chromium-chromedriver") } else { ("chromium", "chromium-driver") };
    if !BROWSERS.iter().any(|name| shell::has_program(name)) {
        missing.push(browser);
    }
    if std::env::var_os("CHROMEDRIVER").is_none() && !shell::has_program("chromedriver") {
        missing.push(driver);
    }
    let needs_postgres = postgres::installed().is_empty();
    if needs_postgres {
        missing.extend(["postgresql", "postgresql-contrib"]);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !(Path::new("/etc/debian_version").exists() && shell::has_program("apt-get")) {
        bail!(
            "the tests need these, under the names your system has for them: {list} (PostgreSQL 14 or newer, with its contrib modules)"
        );
    }
    if !is_root() {
        bail!("the tests need more packages: sudo apt-get install -y {list}");
    }
    shell::stage(&format!("installing {list}"), "a download of about 150 MB", || {
        shell::run(apt().arg("update"))?;
        if needs_postgres {
            no_system_cluster()?;
        }
        shell::run(apt().arg("install").args(&missing))
    })
}

/// Debian makes and starts a cluster of its own when a server is installed; the tests need the programs alone.
fn no_system_cluster() -> anyhow::Result<()> {
    shell::run(apt().args(["install", "postgresql-common"]))?;
    let conf = fs::read_to_string(CLUSTER_CONF).unwrap_or_default();
    if conf.lines().any(|line| line.trim_start().starts_with("create_main_cluster")) {
        return Ok(());
    }
    fs::write(CLUSTER_CONF, conf + "\ncreate_main_cluster = false\n")
        .with_context(|| format!("cannot write {CLUSTER_CONF}"))
}

/// apt-get that asks nothing.
pub(crate) fn apt() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").args(["--quiet", "--yes"]);
    command
}

/// Does this process run as root?
pub(crate) fn is_root() -> bool {
    shell::output(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}
