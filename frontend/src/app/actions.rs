//! What the root asks of the server, and what it makes of files.

use super::{App, Current, Msg};
use crate::feed::{Begin, Feed, Pace};
use crate::form::Form;
use crate::store::Store;
use crate::{api, browser};
use rowlock_shared::scenario::Scenario;
use rowlock_shared::text::Message;
use rowlock_shared::wire::{Intervention, RunId, RunInfo, RunStatus};
use yew::prelude::*;

/// Ended runs up to this many events are opened with all of them, so that the timeline is whole; of longer ones the
/// stream's snapshot is shown.
const WHOLE_EVENTS: u64 = 100_000;

impl App {
    pub(super) fn ask_server(&self, ctx: &Context<Self>) {
        ctx.link().send_future(async { Msg::Server(api::server().await) });
    }

    pub(super) fn ask_runs(&self, ctx: &Context<Self>) {
        ctx.link().send_future(async { Msg::Runs(api::runs().await) });
    }

    pub(super) fn start(&mut self, ctx: &Context<Self>) {
        if self.starting || self.is_running() {
            return;
        }
        if let Ok(scenario) = self.form.scenario() {
            self.starting = true;
            self.problem = None;
            ctx.link().send_future(async move { Msg::Started(api::start(scenario).await) });
        }
    }

    pub(super) fn stop(&mut self, ctx: &Context<Self>) {
        if !self.is_running() {
            return;
        }
        if let Some(current) = self.current.as_mut().filter(|current| !current.stopping) {
            current.stopping = true;
            let id = current.info.id;
            ctx.link().send_future(async move {
                match api::stop(id).await {
                    Ok(()) => Msg::Nothing,
                    Err(problem) => Msg::Failed(problem),
                }
            });
        }
    }

    /// Puts a run on the stage and follows it.
    pub(super) fn follow(&mut self, ctx: &Context<Self>, info: RunInfo) {
        let id = info.id;
        let long = info.summary.as_ref().is_some_and(|summary| summary.events > WHOLE_EVENTS);
        self.set_stage(Store::for_run(Some(id)));
        let stopping = info.status == RunStatus::Stopping;
        self.current = Some(Current { info, stopping });
        let begin = if long { Begin::Picture } else { Begin::FirstEvent };
        self.feed = Some(Feed::live(id, begin, ctx.link().callback(Msg::News)));
        self.tick_while_running(ctx);
    }

    /// Puts a run that ended on the stage: all of it where that is not too much, else its last picture.
    pub(super) fn open(&mut self, ctx: &Context<Self>, info: RunInfo) {
        let events = info.summary.as_ref().map_or(u64::MAX, |summary| summary.events);
        self.form = Form::of(info.scenario.clone());
        if info.status != RunStatus::Ended || events > WHOLE_EVENTS {
            return self.follow(ctx, info);
        }
        let id = info.id;
        self.current = Some(Current { info, stopping: false });
        ctx.link().send_future(async move {
            match api::events(id).await.map(|text| api::read_events(&text)) {
                Ok(Ok(events)) => Msg::Recorded(Some(id), events, Pace::AtOnce),
                Ok(Err(message)) => Msg::Complain(message),
                Err(problem) => Msg::Failed(problem),
            }
        });
    }

    /// Plays events on the stage.
    pub(super) fn play(
        &mut self,
        ctx: &Context<Self>,
        run: Option<RunId>,
        events: Vec<rowlock_shared::event::Event>,
        pace: Pace,
    ) {
        self.set_stage(Store::for_run(run));
        if run.is_none() {
            self.current = None;
        }
        self.feed = Some(Feed::recording(events, pace, ctx.link().callback(Msg::News)));
        self.tick_while_running(ctx);
    }

    fn set_stage(&mut self, store: Store) {
        self.feed = None;
        self.store.replace(store);
        self.revision += 1;
        self.slow = (self.revision, 0.0);
        self.now = 0;
        self.breaks.clear();
        self.problem = None;
    }

    pub(super) fn intervene(&mut self, ctx: &Context<Self>, what: Intervention) {
        let Some(id) = self.current.as_ref().map(|current| current.info.id) else { return };
        match &what {
            Intervention::Break { worker, point } if !self.breaks.contains(&(*worker, *point)) => {
                self.breaks.push((*worker, *point));
            }
            Intervention::Clear { worker, point } => self.breaks.retain(|set| *set != (*worker, *point)),
            _ => {}
        }
        ctx.link().send_future(async move {
            match api::intervene(id, what).await {
                Ok(()) => Msg::Nothing,
                Err(problem) => Msg::Failed(problem),
            }
        });
    }

    pub(super) fn save_scenario(&self) {
        if let Ok(scenario) = self.form.scenario() {
            let text = serde_json::to_string_pretty(&scenario).unwrap_or_default();
            browser::save(&format!("rowlock-{}.json", scenario.mode.word()), "application/json", &text);
        }
    }

    /// A scenario file: taken over whole, or refused whole.
    pub(super) fn open_scenario(&mut self, name: &str, text: &str) {
        let value = match serde_json::from_str::<serde_json::Value>(text) {
            Ok(value) => value,
            Err(why) => {
                let message = Message::new("page-bad-file").with("name", name).with("why", why.to_string());
                self.problem = Some(message);
                return;
            }
        };
        match Scenario::from_value(&value) {
            Ok(scenario) => {
                self.form = Form::of(scenario);
                self.problem = None;
            }
            Err(errors) => {
                let why: Vec<String> = errors.iter().map(|error| error.message().say(self.lang)).collect();
                self.problem = Some(Message::new("page-bad-file").with("name", name).with("why", why.join(" ")));
            }
        }
    }

    pub(super) fn save_events(&self, ctx: &Context<Self>, id: RunId) {
        ctx.link().send_future(async move {
            match api::events(id).await {
                Ok(text) => {
                    browser::save(&format!("rowlock-run-{id}.jsonl"), "application/jsonl", &text);
                    Msg::Nothing
                }
                Err(problem) => Msg::Failed(problem),
            }
        });
    }

    pub(super) fn delete(&self, ctx: &Context<Self>, id: RunId) {
        ctx.link().send_future(async move {
            match api::delete(id).await {
                Ok(()) => Msg::Runs(api::runs().await),
                Err(problem) => Msg::Failed(problem),
            }
        });
    }
}
