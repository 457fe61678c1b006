//! The program as a person starts it: what it prints, with which status it ends, and that it leaves nothing running.

#![allow(clippy::unwrap_used)]

use futures_util::StreamExt;
use rowlock_shared::event::{Event, What};
use rowlock_shared::text::Lang;
use rowlock_shared::world::Summary;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

fn rowlock(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowlock"));
    command.args(arguments).env_remove("DATABASE_URL").env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    rowlock(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A cache folder of one test, removed at its end.
struct Cache(PathBuf);

impl Cache {
    fn new(name: &str) -> Cache {
        Cache(std::env::temp_dir().join(format!("rowlock-{name}-{}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Whether any process has the folder on its command line.
    fn is_deserted(&self) -> bool {
        let all = Command::new("ps").args(["-axww", "-o", "command="]).output().unwrap();
        !text(&all.stdout).contains(&format!("{}/", self.path()))
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_bad_scenario_is_told_apart_from_a_failed_run() {
    let bad = output(&["run", "--set", "workers=65", "--set", "workers", "--set", "jobz=3", "--set", "mode=hope"]);
    assert_eq!(bad.status.code(), Some(2));
    let said = text(&bad.stderr);
    for part in ["workers: 65", "1 to 64", "knob=value", "jobz", "mode: hope", "skip-locked"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    for wrong in [
        &["run", "--preset", "nothing"][..],
        &["run", "--scenario", "no/such/file"],
        &["run", "--preset", "shop", "--scenario", "x"],
        &["run", "--set", "fail_probability=0.9", "--set", "crash_probability=0.9"],
        &["serve", "--port", "70000"],
        &["dance"],
    ] {
        assert_eq!(output(wrong).status.code(), Some(2), "{wrong:?}");
    }
    let unreachable = output(&["run", "--database-url", "postgres://nobody@127.0.0.1:1/none"]);
    assert_eq!(unreachable.status.code(), Some(1), "{}", text(&unreachable.stderr));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert_eq!(output(&["serve", "--port", &port]).status.code(), Some(1));
}

#[test]
fn help_and_presets_are_told_in_both_languages() {
    for lang in Lang::ALL {
        let mut command = rowlock_backend::cli::command(lang);
        command.build();
        let helps = command.get_subcommands().filter(|sub| sub.get_name() != "help").flat_map(|sub| {
            let about = sub.get_about().map(ToString::to_string);
            let own = sub.get_arguments().map(|arg| arg.get_help().map(ToString::to_string));
            std::iter::once(about).chain(own)
        });
        for help in helps {
            let help = help.unwrap_or_default();
            assert!(!help.is_empty() && !help.contains("Unknown localization"), "{lang:?}: {help}");
        }
        let presets = output(&["presets", "--lang", lang.code()]);
        assert!(presets.status.success());
        assert_eq!(text(&presets.stdout).lines().count(), rowlock_shared::scenario::PRESETS.len());
    }
    assert!(text(&output(&["--lang", "ru", "serve", "--help"]).stdout).contains("Порт"));
}

#[test]
fn a_run_tells_its_summary_and_its_events() {
    let cache = Cache::new("command-run");
    let file = cache.0.with_extension("json");
    std::fs::write(&file, r#"{"jobs": 12, "workers": 3, "work_ms": 1}"#).unwrap();
    let file_name = file.to_str().unwrap();
    let base = ["--cache-dir", cache.path(), "--fast-not-durable"];
    let json = output(&[&["run", "--scenario", file_name, "--json", "--events", "-"][..], &base].concat());
    assert!(json.status.success(), "{}", text(&json.stderr));
    let events: Vec<Event> = text(&json.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(matches!(events.last().unwrap().what, What::RunEnded { .. }));
    let summary: Summary = serde_json::from_str(&text(&json.stderr)).unwrap();
    assert_eq!((summary.done, summary.effects, summary.events), (12, 12, events.len() as u64));
    let small = ["--set", "jobs=5", "--set", "work-ms=1"];
    let table = output(&[&["run", "--preset", "shop", "--lang", "ru"][..], &small, &base].concat());
    assert!(table.status.success());
    assert!(text(&table.stdout).contains("заданий сделано"), "{}", text(&table.stdout));
    std::fs::remove_file(&file).unwrap();
    assert!(cache.is_deserted());
}

/// A server of the test's own.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(cache: &Cache) -> Serving {
        let arguments = ["serve", "--port", "0", "--fast-not-durable", "--cache-dir", cache.path()];
        let mut child = rowlock(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Rowlock is at http://").unwrap().trim_end_matches('/').to_owned();
        Serving { child, address }
    }

    fn post(&self, path: &str, body: &str) -> String {
        let mut stream = std::net::TcpStream::connect(&self.address).unwrap();
        let (address, length) = (&self.address, body.len());
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        std::io::read_to_string(stream).unwrap()
    }

    fn signal(&mut self, signal: &str) -> ExitStatus {
        let told = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(told.success());
        self.child.wait().unwrap()
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_everything_though_a_run_goes_on_and_viewers_watch() {
    let cache = Cache::new("command-serve");
    for signal in ["-TERM", "-INT"] {
        let mut serving = Serving::start(&cache);
        let started = serving.post("/api/runs", r#"{"jobs": 10000, "work_ms": 100}"#);
        assert!(started.starts_with("HTTP/1.1 201"), "{started}");
        let id = started.split_once(r#""id":"#).unwrap().1.split(',').next().unwrap().to_owned();
        let url = format!("ws://{}/api/runs/{id}/stream", serving.address);
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        assert!(socket.next().await.unwrap().unwrap().is_text());
        // Another client that has connected and says nothing.
        let _silent = std::net::TcpStream::connect(&serving.address).unwrap();
        let ended = tokio::task::spawn_blocking(move || serving.signal(signal)).await.unwrap();
        assert!(ended.success(), "{signal}: {ended}");
        assert!(cache.is_deserted(), "{signal}: PostgreSQL is gone too");
        while let Some(Ok(_)) = socket.next().await {}
    }
    assert!(Path::new(cache.path()).is_dir(), "the data stays for the next start");
}
