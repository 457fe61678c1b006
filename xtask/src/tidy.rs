//! The house rules that a program can check; `cargo xtask test` runs them first.

use std::fs;
use std::path::Path;

use anyhow::bail;

use crate::shell;

/// The most lines a file of Rust may have, tests apart.
const MAX_LINES: usize = 400;

/// Folders that are not the project's own text.
const SKIPPED: [&str; 4] = [".git", "target", "dist", "node_modules"];

/// Extensions of the files that are read.
const TEXT: [&str; 9] = ["rs", "toml", "md", "sql", "css", "html", "js", "json", "sh"];

/// How a statement of SQL begins; text of this form belongs in a `.sql` file.
const SQL: [&str; 11] = [
    "SELECT ",
    "INSERT INTO ",
    "UPDATE ",
    "DELETE FROM ",
    "CREATE TABLE ",
    "CREATE INDEX ",
    "CREATE SCHEMA ",
    "DROP TABLE ",
    "DROP SCHEMA ",
    "ALTER TABLE ",
    "WITH ",
];

/// Checks every file of the workspace and lists all that is wrong.
///
/// # Errors
/// When anything is wrong.
pub(crate) fn run() -> anyhow::Result<()> {
    let root = shell::root();
    let mut faults = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)?.flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                if !SKIPPED.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| TEXT.iter().any(|text| extension == *text)) {
                let relative = path.strip_prefix(&root).unwrap_or(&path);
                check(relative, &fs::read_to_string(&path)?, &mut faults);
            }
        }
    }
    let index = fs::read_to_string(root.join("index.html"))?;
    for style in fs::read_dir(root.join("frontend/style")).into_iter().flatten().flatten() {
        let name = style.file_name().to_string_lossy().into_owned();
        if !index.contains(&format!("href=\"frontend/style/{name}\"")) {
            faults.push(format!(
                "index.html: no <link data-trunk rel=\"css\" href=\"frontend/style/{name}\">, as trunk needs"
            ));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    faults.sort();
    bail!("{} house rules broken:\n      {}", faults.len(), faults.join("\n      "));
}

/// The rules, for one file; `path` is relative to the root.
fn check(path: &Path, text: &str, faults: &mut Vec<String>) {
    let place = path.display();
    // Spelled in pieces, or this file would break its own rules.
    let homes = [["/ro", "ot/"].concat(), ["/ho", "me/"].concat(), ["/wo", "rk/"].concat(), ["/Us", "ers/"].concat()];
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(home) = homes.iter().find(|home| line.contains(home.as_str())) {
            faults.push(format!("{place}:{number}: a path of one machine ({home})"));
        }
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("sql") if !text.trim_start().starts_with("--") => {
            faults.push(format!("{place}: begins without a comment that says what the statement is for"));
        }
        Some("rs") => check_rust(path, text, faults),
        _ => {}
    }
}

fn check_rust(path: &Path, text: &str, faults: &mut Vec<String>) {
    let place = path.display();
    let is_test = path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "benches")
        || path.ends_with("tests.rs");
    let (ignored, skip) = (["#[ig", "nore"].concat(), path == Path::new("xtask/src/tidy.rs"));
    let lines = text.lines().count();
    if lines > MAX_LINES && !is_test {
        faults.push(format!("{place}: {lines} lines; split it by idea (at most {MAX_LINES})"));
    }
    // By custom the unit tests close a file: what follows them is test code.
    let product = text.find("#[cfg(test)]").map_or(text, |start| &text[..start]).lines().count();
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim_start();
        if code.starts_with(&ignored) {
            faults.push(format!("{place}:{number}: an ignored test; mend it or remove it"));
        }
        if !(is_test || skip || code.starts_with("//") || number > product) && strings(code).any(is_sql) {
            faults.push(format!("{place}:{number}: SQL in Rust; it belongs in a .sql file"));
        }
    }
}

/// What stands after each opening quote of a line: near enough to its string literals.
fn strings(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

fn is_sql(literal: &str) -> bool {
    // A lone keyword is a word of the page ("UPDATE"); with a name after it, it is a statement.
    SQL.iter().any(|start| {
        literal
            .strip_prefix(start)
            .is_some_and(|rest| rest.chars().next().is_some_and(|c| c.is_lowercase() || "*(\"".contains(c)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        check(Path::new(path), text, &mut faults);
        faults
    }

    #[test]
    fn each_rule_can_fail() {
        assert_eq!(faults("a/src/long.rs", &"\n".repeat(MAX_LINES + 1)).len(), 1);
        assert_eq!(faults("a/src/sql.rs", "let q = \"SELECT id FROM jobs\";").len(), 1);
        assert_eq!(faults("a/src/ignored.rs", &["#[ig", "nore]"].concat()).len(), 1);
        assert_eq!(faults("a/readme.md", &["see /ro", "ot/x"].concat()).len(), 1);
        assert_eq!(faults("a/claim.sql", "SELECT 1").len(), 1);
    }

    #[test]
    fn what_is_allowed_passes() {
        assert!(faults("a/tests/long.rs", &"\n".repeat(MAX_LINES + 1)).is_empty());
        assert!(faults("a/src/mode.rs", "let label = \"FOR UPDATE\"; // SELECT id").is_empty());
        assert!(
            faults("a/src/x.rs", "let a = 1;\n#[cfg(test)]\nmod tests { const Q: &str = \"SELECT id\"; }").is_empty()
        );
        assert!(faults("a/claim.sql", "-- Claims one job.\nSELECT 1").is_empty());
    }
}
