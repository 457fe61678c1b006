//! What canvases share: sharp pixels and the colours of the style sheet.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, HtmlCanvasElement};

/// The canvas's context, in px of the page, with as many device pixels as it covers; and its width and height in px.
pub(super) fn fit(canvas: &HtmlCanvasElement) -> Option<(CanvasRenderingContext2d, f64, f64)> {
    let (width, height) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
    let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()).max(1.0);
    let (wide, high) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    if canvas.width() != wide || canvas.height() != high {
        canvas.set_width(wide);
        canvas.set_height(high);
    }
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
    // Refused only for numbers that are none.
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    Some((context, width, height))
}

/// The colours of the theme in force.
pub(super) struct Paint {
    style: Option<CssStyleDeclaration>,
}

impl Paint {
    pub(super) fn new() -> Paint {
        let style = || {
            let window = web_sys::window()?;
            let root = window.document()?.document_element()?;
            window.get_computed_style(&root).ok().flatten()
        };
        Paint { style: style() }
    }

    /// A custom property's colour, such as `--ink`.
    pub(super) fn colour(&self, name: &str) -> String {
        self.style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default().trim().to_owned()
    }
}
