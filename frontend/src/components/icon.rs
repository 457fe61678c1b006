//! Small drawings; each stands beside a word or has one in its label.

use yew::prelude::*;

/// A drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Icon {
    Lock,
    Mail,
    Coin,
    Chart,
    Run,
    Stop,
    Copy,
    Close,
    Hop,
    Step,
}

/// The drawing, hidden from screen readers.
pub(crate) fn icon(which: Icon) -> Html {
    let path = match which {
        Icon::Lock => "M4.5 7V5a3.5 3.5 0 0 1 7 0v2H13v7H3V7zM6 7h4V5a2 2 0 0 0-4 0z",
        Icon::Mail => "M1.5 3.5h13v9h-13zm1.3 1.2L8 8.8l5.2-4.1zm-.1 1.5v5.1h10.6V6.2L8 10.4z",
        Icon::Coin => {
            "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zm0 1.3a5.2 5.2 0 1 0 0 10.4A5.2 5.2 0 0 0 8 2.8zM7.4 4.5h1.2v7H7.4z"
        }
        Icon::Chart => "M2 13.5V2.5h1.3v9.7H14v1.3zm3-3V7h1.6v3.5zm3 0V4h1.6v6.5zm3 0V6h1.6v4.5z",
        Icon::Run => "M4 2.5v11l9-5.5z",
        Icon::Stop => "M3.5 3.5h9v9h-9z",
        Icon::Copy => "M5 1.5h8.5v10H11V14H2.5V4H5zm1.2 2.5H11v6.3h1.3V2.7H6.2zM3.7 5.2v7.6h6.1V5.2z",
        Icon::Close => "m3.4 2.5 4.6 4.6 4.6-4.6.9.9L8.9 8l4.6 4.6-.9.9L8 8.9l-4.6 4.6-.9-.9L7.1 8 2.5 3.4z",
        Icon::Hop => "M1.5 11C2.5 5 10 3 12.6 8.2l1.4-.9-.3 4.5-4-2 1.5-.9C9.500 5.500 4 6.500 3 11z",
        Icon::Step => "M3 2.500v11l7-5.500zM11 2.500h2v11h-2z",
    };
    html! {
        <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
            <path d={path} fill="currentColor" fill-rule="evenodd" />
        </svg>
    }
}

/// The drawing of an effect.
pub(crate) fn of_effect(effect: &str) -> Icon {
    match effect {
        "mail" => Icon::Mail,
        "cashback" => Icon::Coin,
        _ => Icon::Chart,
    }
}
