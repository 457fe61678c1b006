//! The top line: name, pages, the server, language and colours.

use crate::app::Page;
use crate::prefs::Theme;
use crate::say::{Say, use_say};
use rowlock_shared::text::Lang;
use rowlock_shared::wire::ServerInfo;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The server: not asked yet, not there, or what it is.
    pub(crate) server: Option<Option<ServerInfo>>,
    pub(crate) page: Page,
    pub(crate) theme: Theme,
    pub(crate) top: Top,
}

/// What the reader can do here.
#[derive(Clone, PartialEq)]
pub(crate) struct Top {
    pub(crate) on_page: Callback<Page>,
    pub(crate) on_lang: Callback<Lang>,
    pub(crate) on_theme: Callback<Theme>,
    pub(crate) on_help: Callback<()>,
}

/// The top line.
#[component]
pub(crate) fn Header(props: &Props) -> Html {
    let say = use_say();
    let tab = |page: Page, key: &str, testid: &'static str| {
        let current = (props.page == page).then_some("page");
        let onclick = props.top.on_page.reform(move |_| page);
        html! { <button class="tab" aria-current={current} data-testid={testid} {onclick}>{ say.t(key) }</button> }
    };
    let lang = |lang: Lang, label: &'static str, name: &'static str| {
        let onclick = props.top.on_lang.reform(move |_| lang);
        html! {
            <button lang={lang.code()} title={name} aria-pressed={(say.0 == lang).to_string()}
                data-testid={format!("lang-{}", lang.code())} {onclick}>{ label }</button>
        }
    };
    let theme = props.theme;
    html! {
        <header class="top">
            <a class="skip" href="#main">{ say.t("page-skip") }</a>
            <h1 class="logo">{ "Row" }<span>{ "lock" }</span></h1>
            <nav aria-label={say.t("page-nav")}>
                { tab(Page::Lab, "page-tab-lab", "tab-lab") }
                { tab(Page::Runs, "page-tab-runs", "tab-runs") }
            </nav>
            <span class="grow"></span>
            { server(say, props.server.as_ref()) }
            <span class="switch" role="group" aria-label={say.t("page-language")}>
                { lang(Lang::En, "EN", "English") }
                { lang(Lang::Ru, "RU", "Русский") }
            </span>
            <button class="pill" data-testid="theme" data-theme-choice={theme.word()} title={say.t("page-theme-about")}
                onclick={props.top.on_theme.reform(move |_| theme.next())}>{ say.t(&format!("page-theme-{}", theme.word())) }</button>
            <button class="pill" data-testid="help" aria-label={say.t("page-help")} onclick={props.top.on_help.reform(|_| ())}>{ "?" }</button>
        </header>
    }
}

fn server(say: Say, server: Option<&Option<ServerInfo>>) -> Html {
    let Some(server) = server else {
        return html! { <span class="pill server" data-testid="server">{ say.t("page-server-asking") }</span> };
    };
    let Some(info) = server else {
        return html! { <span class="pill server down" data-testid="server"><i></i>{ say.t("page-server-none") }</span> };
    };
    let (class, name) = match &info.postgres {
        Some(name) => {
            ("up", html! { <span><span class="live">{ say.t("page-server-live") }{ " " }</span>{ name }</span> })
        }
        None => ("down", html! { { say.t("page-server-down") } }),
    };
    let count = info.notices.len();
    html! {
        <details class="server-box">
            <summary class={classes!("pill", "server", class)} data-testid="server">
                <i></i>{ name }
                if count > 0 { <span class="count" aria-label={say.t("page-server-notices")}>{ count }</span> }
            </summary>
            <div class="pop">
                <p>{ say.t(if info.embedded { "page-server-embedded" } else { "page-server-own" }) }</p>
                if info.fast_not_durable { <p class="wait">{ say.t("page-server-fast") }</p> }
                { for info.notices.iter().map(|notice| html! { <p class="wait">{ say.m(notice) }</p> }) }
            </div>
        </details>
    }
}
