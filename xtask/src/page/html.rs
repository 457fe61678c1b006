//! From the root's `index.html`, in the form that `trunk` reads, to the one that is served.

use anyhow::{Context, bail};

/// Replaces each `<link data-trunk …>` by plain tags: `rel="rust"` becomes the style sheet, the script and its preloads, and
/// the others nothing, since their files are copied or are part of that sheet.
///
/// # Errors
/// When a link is not closed, or has no `rel` that is known here.
pub(super) fn plain(source: &str, name: &str) -> anyhow::Result<String> {
    let mut result = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("<link data-trunk") {
        let length = rest[start..].find('>').context("index.html: a <link data-trunk is not closed by >")? + 1;
        let link = &rest[start..start + length];
        result += &rest[..start];
        rest = &rest[start + length..];
        match attribute(link, "rel") {
            Some("rust") => {
                result += &format!(
                    "<link rel=\"stylesheet\" href=\"style.css\">\n    \
                     <link rel=\"modulepreload\" href=\"{name}.js\">\n    \
                     <link rel=\"preload\" href=\"{name}_bg.wasm\" as=\"fetch\" type=\"application/wasm\" crossorigin>\n    \
                     <script type=\"module\" src=\"boot.js\"></script>"
                );
            }
            Some("css" | "copy-dir" | "copy-file") => result.truncate(result.trim_end().len()),
            rel => bail!("index.html: {link} has rel {rel:?}; known are rust, css, copy-dir, copy-file"),
        }
    }
    Ok(result + rest)
}

/// The module that starts the page: a file of its own, since a strict policy forbids scripts within the HTML.
pub(super) fn boot(name: &str) -> String {
    format!(
        r#"// Starts the page. Where WebAssembly cannot run, it says so instead of leaving the page empty.
import init from "./{name}.js";

init().catch((error) => {{
  console.error(error);
  const note = document.getElementById("boot");
  if (note) note.textContent = `This page could not start: ${{error}}`;
}});
"#
    )
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_trunk_become_plain_tags() -> anyhow::Result<()> {
        let html = plain(
            "<head>\n<link data-trunk rel=\"rust\" href=\"x/Cargo.toml\">\n<link data-trunk rel=\"css\" href=\"a.css\">\n\
             <link data-trunk rel=\"css\" href=\"b.css\">\n</head>",
            "page",
        )?;
        assert!(html.contains("src=\"boot.js\""), "{html}");
        assert!(html.contains("href=\"page_bg.wasm\""), "{html}");
        assert_eq!(html.matches("style.css").count(), 1, "{html}");
        assert!(!html.contains("data-trunk"), "{html}");
        Ok(())
    }

    #[test]
    fn an_unknown_link_is_refused() {
        assert!(plain("<link data-trunk rel=\"sass\" href=\"a.sass\">", "page").is_err());
        assert!(plain("<link data-trunk rel=\"css\"", "page").is_err());
    }
}
