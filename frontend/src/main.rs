//! The page: a Yew app that folds a run's events and draws them.
//!
//! [`app`] is the root and alone joins the three parts below it: [`feed`] (where events come from), [`store`] (what they
//! add up to) and [`pages`] with their [`components`] (what one sees). Components take props and emit callbacks; they
//! know the shared types and Yew, and nothing of where events come from. Read `app/mod.rs` first.

mod api;
mod app;
mod browser;
mod components;
mod feed;
mod fmt;
mod form;
mod pages;
mod prefs;
mod say;
mod store;

fn main() {
    app::mount();
}

#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
