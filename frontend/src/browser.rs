//! The few things that are asked of the browser directly.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Milliseconds of the browser's monotonic clock.
pub(crate) fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// Whether the reader asks for less motion.
pub(crate) fn reduced_motion() -> bool {
    web_sys::window()
        .and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten())
        .is_some_and(|query| query.matches())
}

/// The language that the browser asks for.
pub(crate) fn language() -> String {
    web_sys::window().and_then(|window| window.navigator().language()).unwrap_or_default()
}

/// Sets an attribute of the document's root element.
pub(crate) fn set_root(name: &str, value: &str) {
    if let Some(root) = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element()) {
        // Only a malformed name is refused; ours are fixed.
        let _ = root.set_attribute(name, value);
    }
}

/// Hands a text to the reader as a file.
pub(crate) fn save(name: &str, kind: &str, text: &str) {
    let save = || -> Result<(), JsValue> {
        let parts = js_sys::Array::of1(&text.into());
        let options = web_sys::BlobPropertyBag::new();
        options.set_type(kind);
        let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)?;
        let address = web_sys::Url::create_object_url_with_blob(&blob)?;
        let document = web_sys::window().and_then(|w| w.document()).ok_or(JsValue::NULL)?;
        let link: web_sys::HtmlAnchorElement = document.create_element("a")?.unchecked_into();
        link.set_href(&address);
        link.set_download(name);
        link.click();
        web_sys::Url::revoke_object_url(&address)
    };
    // A browser that forbids downloads shows that itself.
    let _ = save();
}

/// Puts a text on the clipboard.
pub(crate) async fn copy(text: String) -> bool {
    let Some(window) = web_sys::window() else { return false };
    JsFuture::from(window.navigator().clipboard().write_text(&text)).await.is_ok()
}

/// The file that was chosen in a file input, with its name; the input is emptied, so that it can be chosen again.
pub(crate) async fn chosen_file(input: web_sys::HtmlInputElement) -> Option<(String, String)> {
    let file = input.files()?.get(0)?;
    let text = JsFuture::from(file.text()).await.ok()?.as_string()?;
    input.set_value("");
    Some((file.name(), text))
}

/// The WebSocket address of a path that is relative to the page.
pub(crate) fn socket_url(path: &str) -> Option<String> {
    let base = web_sys::window()?.document()?.base_uri().ok().flatten()?;
    let url = web_sys::Url::new_with_base(path, &base).ok()?;
    url.set_protocol(if url.protocol() == "https:" { "wss:" } else { "ws:" });
    url.set_hash("");
    Some(url.href())
}

/// Calls back before the next frame is painted. The closure is kept until then.
pub(crate) fn next_frame(call: impl FnOnce() + 'static) {
    let closure = Closure::once_into_js(call);
    if let Some(window) = web_sys::window() {
        // Refused only for what is no function.
        let _ = window.request_animation_frame(closure.unchecked_ref());
    }
}
