//! The folder `dist/`: what the server embeds and serves.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Files whose compressed form is worth keeping, by extension; pictures and fonts are compressed already.
const TEXT: [&str; 7] = ["html", "css", "js", "wasm", "svg", "json", "txt"];

/// `dist/` while it is being written.
///
/// A file whose bytes did not change is not touched: the server that embeds it is then not built again. What no call of
/// [`put`](Dist::put) named is removed at the end, above all compressed files of an earlier build.
pub(super) struct Dist {
    folder: PathBuf,
    compress: bool,
    kept: BTreeSet<PathBuf>,
    written: usize,
    raw_bytes: usize,
    brotli_bytes: usize,
}

impl Dist {
    /// Opens (or makes) the folder. With `compress`, `.br` and `.gz` are kept beside each text file.
    pub(super) fn open(folder: PathBuf, compress: bool) -> anyhow::Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { folder, compress, kept: BTreeSet::new(), written: 0, raw_bytes: 0, brotli_bytes: 0 })
    }

    pub(super) fn compresses(&self) -> bool {
        self.compress
    }

    /// Keeps one file, named relative to the folder.
    pub(super) fn put(&mut self, name: impl AsRef<Path>, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.folder.join(name.as_ref());
        let changed = self.write(&path, bytes)?;
        self.raw_bytes += bytes.len();
        let is_text = path.extension().is_some_and(|extension| TEXT.iter().any(|text| extension == *text));
        if !(self.compress && is_text) {
            self.brotli_bytes += bytes.len();
            return Ok(());
        }
        let (br, gz) = (with_suffix(&path, "br"), with_suffix(&path, "gz"));
        if !changed && br.is_file() && gz.is_file() {
            self.brotli_bytes += usize::try_from(br.metadata()?.len())?;
            self.kept.extend([br, gz]);
            return Ok(());
        }
        let packed = brotli(bytes)?;
        self.brotli_bytes += packed.len();
        self.write(&br, &packed)?;
        self.write(&gz, &gzip(bytes)?)?;
        Ok(())
    }

    /// Keeps every file below `source`, under `prefix`.
    pub(super) fn put_folder(&mut self, source: &Path, prefix: &Path) -> anyhow::Result<()> {
        for path in files(source)? {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            self.put(prefix.join(path.strip_prefix(source)?), &bytes)?;
        }
        Ok(())
    }

    /// Removes what was not put, and says in one line what was done.
    pub(super) fn finish(self) -> anyhow::Result<String> {
        for path in files(&self.folder)? {
            if !self.kept.contains(&path) {
                fs::remove_file(&path)?;
            }
        }
        let kib = |bytes: usize| bytes.div_ceil(1024);
        let mut line = format!("{} files, {} changed, {} KiB", self.kept.len(), self.written, kib(self.raw_bytes));
        if self.compress {
            line += &format!(" ({} KiB with brotli)", kib(self.brotli_bytes));
        }
        Ok(line)
    }

    fn write(&mut self, path: &Path, bytes: &[u8]) -> anyhow::Result<bool> {
        self.kept.insert(path.to_path_buf());
        if fs::read(path).is_ok_and(|old| old == bytes) {
            return Ok(false);
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        self.written += 1;
        Ok(true)
    }
}

/// All files below a folder, in the order of their paths.
pub(super) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

fn brotli(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut packed = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut packed, &params)?;
    Ok(packed)
}

fn gzip(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_files_are_left_alone_and_stale_ones_removed() -> anyhow::Result<()> {
        let folder = std::env::temp_dir().join(format!("rowlock-dist-{}", std::process::id()));
        let mut first = Dist::open(folder.clone(), true)?;
        first.put("a.js", b"let x = 1;")?;
        first.put("old.css", b"b{}")?;
        assert_eq!(first.finish()?.split(" changed").next(), Some("6 files, 6"));

        let mut second = Dist::open(folder.clone(), true)?;
        second.put("a.js", b"let x = 1;")?;
        assert_eq!(second.written, 0, "nothing changed, so nothing is written");
        second.finish()?;
        assert_eq!(files(&folder)?.len(), 3, "a.js, a.js.br, a.js.gz");

        let mut quick = Dist::open(folder.clone(), false)?;
        quick.put("a.js", b"let x = 2;")?;
        quick.finish()?;
        assert_eq!(files(&folder)?, [folder.join("a.js")], "an old a.js.br would be served in place of the new a.js");
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
