//! The root's picture: what goes to which page.

use super::{App, Current, Msg, Page};
use crate::api::Problem;
use crate::browser;
use crate::components::banner::{Banner, Tone};
use crate::components::header::{Header, Top};
use crate::components::help::Help;
use crate::pages::lab::{Controls, Lab};
use crate::pages::runs::Runs;
use crate::say::Say;
use crate::store::Link;
use rowlock_shared::event::EndReason;
use rowlock_shared::text::Message;
use rowlock_shared::wire::{RunStatus, VERSION};
use yew::html::Scope;
use yew::prelude::*;

impl App {
    pub(super) fn draw(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let server = self.server.as_ref().map(|answer| answer.as_ref().ok().cloned());
        html! {
            <ContextProvider<Say> context={Say(self.lang)}>
                <Header
                    {server}
                    page={self.page}
                    theme={self.theme}
                    top={self.top.clone()}
                />
                { self.banners(ctx) }
                <main id="main">
                    if self.page == Page::Lab { { self.lab() } } else { { self.runs_page(ctx) } }
                </main>
                if self.help {
                    <Help on_close={link.callback(|()| Msg::Help(false))} />
                }
            </ContextProvider<Say>>
        }
    }

    fn lab(&self) -> Html {
        let live = self.current.as_ref().is_some_and(|_| self.is_running());
        html! {
            <Lab
                form={self.form.clone()}
                view={self.picture()}
                slow={self.slow_picture()}
                now={self.now}
                theme={self.theme}
                status={self.status()}
                selected={self.selected}
                breaks={self.breaks.clone()}
                psql={self.current.as_ref().and_then(|current| current.info.psql.clone())}
                {live}
                ready={!self.starting && !self.is_running()}
                controls={self.controls.clone()}
            />
        }
    }

    fn runs_page(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        html! {
            <Runs
                runs={self.runs.clone()}
                shown={self.current.as_ref().map(|current| current.info.id)}
                on_open={link.callback(Msg::OpenRun)}
                on_delete={link.callback(Msg::DeleteRun)}
                on_save={link.callback(Msg::SaveEvents)}
                on_recording={link.callback(|(name, text)| Msg::OpenRecording(name, text))}
                on_lab={link.callback(|()| Msg::Page(Page::Lab))}
            />
        }
    }

    /// Where the run on the stage is.
    fn status(&self) -> Status {
        let store = self.store.borrow();
        if self.starting {
            return Status::Starting;
        }
        if let Some((reason, detail)) = &store.world.ended {
            return Status::Ended(*reason, detail.clone());
        }
        match (&self.current, store.link) {
            (_, Link::Gone) => Status::Gone,
            (_, Link::Reconnecting(n)) => Status::Reconnecting(n),
            (Some(Current { stopping: true, .. }), _) => Status::Stopping,
            (_, Link::Replaying) => Status::Replaying,
            (Some(Current { info, .. }), _) if info.status == RunStatus::Ended => {
                Status::Ended(info.ended.unwrap_or(EndReason::Failed), String::new())
            }
            (Some(_), _) if store.world.scenario.is_some() => Status::Running,
            (Some(_), _) => Status::Starting,
            (None, _) => Status::Idle,
        }
    }

    fn banners(&self, ctx: &Context<Self>) -> Html {
        let dismiss = ctx.link().callback(|()| Msg::Dismiss);
        let store = self.store.borrow();
        let lost = matches!(store.world.ended, Some((EndReason::DatabaseLost, _)));
        let server_gone = matches!(self.server, Some(Err(Problem::Unreachable(_)))) && store.world.scenario.is_none();
        let old_server = matches!(&self.server, Some(Ok(info)) if info.version != VERSION);
        let no_database = match &self.server {
            Some(Ok(info)) => info.postgres.is_none(),
            Some(Err(problem)) => problem.is_database_down(),
            None => false,
        };
        html! {
            <div class="banners" aria-live="polite">
                if store.wrong_version || old_server {
                    <Banner tone={Tone::Harm} message={Message::new("page-wrong-version")} />
                }
                if server_gone {
                    <Banner tone={Tone::Wait} message={Message::new("page-no-server")} />
                } else if no_database {
                    <Banner tone={Tone::Harm} message={Message::new("page-no-database")} />
                }
                if lost {
                    <Banner tone={Tone::Harm} message={Message::new("page-database-lost")} />
                }
                if store.link == Link::Gone {
                    <Banner tone={Tone::Wait} message={Message::new("page-run-gone")} />
                }
                if store.dropped > 0 {
                    <Banner tone={Tone::Wait} message={Message::new("page-dropped").with("count", store.dropped)} />
                }
                if let Some(why) = &store.unreadable {
                    <Banner tone={Tone::Harm} message={Message::new("page-unreadable").with("why", why.as_str())} />
                }
                if let Some(error) = &store.complaint {
                    <Banner tone={Tone::Wait} message={error.message.clone()} />
                }
                if let Some(problem) = &self.problem {
                    <Banner tone={Tone::Harm} message={problem.clone()} on_close={dismiss} />
                }
            </div>
        }
    }
}

/// What the reader can do in the lab.
pub(super) fn controls(link: &Scope<App>) -> Controls {
    Controls {
        on_preset: link.callback(Msg::Preset),
        on_knob: link.callback(|(name, text)| Msg::Knob(name, text)),
        on_reset: link.callback(|()| Msg::Reset),
        on_save: link.callback(|()| Msg::SaveScenario),
        on_open: link.callback(|(name, text)| Msg::OpenScenario(name, text)),
        on_run: link.callback(|()| Msg::Run),
        on_stop: link.callback(|()| Msg::Stop),
        on_select: link.callback(Msg::Select),
        on_intervene: link.callback(Msg::Intervene),
    }
}

/// What the reader can do in the top line.
pub(super) fn top(link: &Scope<App>) -> Top {
    Top {
        on_page: link.callback(Msg::Page),
        on_lang: link.callback(Msg::Lang),
        on_theme: link.callback(Msg::Theme),
        on_help: link.callback(|()| Msg::Help(true)),
    }
}

/// Where the run on the stage is, for the reader.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Status {
    Idle,
    Starting,
    Running,
    Stopping,
    Reconnecting(u32),
    Replaying,
    /// The server does not know the run any more.
    Gone,
    Ended(EndReason, String),
}

/// Mounts the page in place of what stood there while it loaded.
pub(crate) fn mount() {
    yew::Renderer::<App>::new().render();
    // Marks for style and tests that the page has taken over.
    browser::set_root("data-ready", "true");
}
