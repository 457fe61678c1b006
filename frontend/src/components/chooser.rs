//! A button that opens a file of the reader's.

use crate::browser;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) label: String,
    /// What the file dialog offers first, such as `.json`.
    pub(crate) accept: &'static str,
    pub(crate) testid: &'static str,
    /// Name and text of the file.
    pub(crate) on_file: Callback<(String, String)>,
}

/// The button: a label around a file input, so that keyboard and screen reader meet one thing.
#[component]
pub(crate) fn Chooser(props: &Props) -> Html {
    let onchange = {
        let on_file = props.on_file.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() else { return };
            let on_file = on_file.clone();
            spawn_local(async move {
                if let Some(file) = browser::chosen_file(input).await {
                    on_file.emit(file);
                }
            });
        })
    };
    html! {
        <label class="button small">
            { &props.label }
            <input type="file" class="unseen" accept={props.accept} data-testid={props.testid} {onchange} />
        </label>
    }
}
