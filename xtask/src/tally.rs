//! Runs tests with their output passed through, and counts what they report.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::shell;

/// How many tests passed and failed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    /// Runs `command` and adds the results it prints. A command that fails without naming a failed test (it did not
    /// compile, it was killed) counts as one failure.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn run(&mut self, command: &mut Command) -> anyhow::Result<()> {
        eprintln!("    {}", shell::words(command));
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", shell::words(command)))?;
        let mut here = Tally::default();
        if let Some(output) = child.stdout.take() {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line)? > 0 {
                let text = String::from_utf8_lossy(&line);
                print!("{text}");
                std::io::stdout().flush()?;
                here.add(Tally::read(&text));
                line.clear();
            }
        }
        if !child.wait()?.success() && here.failed == 0 {
            here.failed = 1;
        }
        self.add(here);
        Ok(())
    }

    /// Adds another tally.
    pub(crate) fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Adds a check that is no program: passed or failed.
    pub(crate) fn check(&mut self, what: &str, result: anyhow::Result<()>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(error) => {
                self.failed += 1;
                eprintln!("    {what} FAILED: {error:#}");
            }
        }
    }

    /// What a line like `test result: ok. 3 passed; 1 failed; …` says; nothing for any other line.
    fn read(line: &str) -> Tally {
        let Some(result) = line.trim().strip_prefix("test result:") else {
            return Tally::default();
        };
        let number = |word: &str| {
            let before = result.split(word).next().filter(|before| before.len() < result.len());
            before
                .and_then(|before| before.split_whitespace().last())
                .and_then(|number| number.parse().ok())
                .unwrap_or(0)
        };
        Tally { passed: number(" passed"), failed: number(" failed") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_counted_and_others_are_not() {
        let line =
            "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.05s\n";
        assert_eq!(Tally::read(line), Tally { passed: 12, failed: 3 });
        assert_eq!(Tally::read("test passed ... 5 failed"), Tally::default());
        assert_eq!(Tally::read("test result: nothing"), Tally::default());
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_dies_without_a_word_counts_as_one_failure() -> anyhow::Result<()> {
        let mut tally = Tally::default();
        tally.run(Command::new("sh").args(["-c", "echo 'test result: ok. 2 passed; 0 failed'; exit 3"]))?;
        assert_eq!(tally, Tally { passed: 2, failed: 1 });
        Ok(())
    }
}
