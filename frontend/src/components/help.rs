//! The keys, in a dialog.

use crate::say::use_say;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) on_close: Callback<()>,
}

/// The dialog. As a modal one, the browser keeps the focus inside and closes it on Escape.
#[component]
pub(crate) fn Help(props: &Props) -> Html {
    let say = use_say();
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = node.cast::<web_sys::HtmlDialogElement>() {
                // Refused only if it is open already.
                let _ = dialog.show_modal();
            }
        });
    }
    let keys = [("R", "page-key-run"), ("S", "page-key-stop"), ("J K", "page-key-select"), ("?", "page-key-help")];
    let marks = ["solid", "hatched", "line", "ring", "free", "evidence"];
    html! {
        <dialog class="help" ref={node} aria-labelledby="help-title" onclose={props.on_close.reform(|_| ())} data-testid="help-dialog">
            <h2 id="help-title">{ say.t("page-help") }</h2>
            <dl>
                { for keys.iter().map(|(key, what)| html! { <><dt><kbd>{ *key }</kbd></dt><dd>{ say.t(what) }</dd></> }) }
            </dl>
            <h3>{ say.t("page-legend") }</h3>
            <ul>
                { for marks.iter().map(|mark| html! { <li>{ say.t(&format!("page-legend-{mark}")) }</li> }) }
            </ul>
            <button class="button" autofocus=true onclick={props.on_close.reform(|_| ())}>{ say.t("page-close") }</button>
        </dialog>
    }
}
