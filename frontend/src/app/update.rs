//! One message into the root's state.

use super::{App, Msg, Page, TICK_MS};
use crate::feed::Pace;
use crate::form::Form;
use crate::store::{Link, News};
use crate::{api, browser, prefs};
use gloo_timers::callback::{Interval, Timeout};
use rowlock_shared::ids::WorkerId;
use rowlock_shared::text::Message;
use rowlock_shared::wire::RunStatus;
use yew::prelude::*;

impl App {
    /// Whether the page must be drawn again.
    pub(super) fn handle(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::News(news) => return self.hear(ctx, news),
            Msg::Frame => {
                self.frame_due = false;
                self.framed_at = browser::now_ms();
                self.revision += 1;
                self.catch_up();
                self.now = self.store.borrow().now(browser::now_ms());
                self.tick_while_running(ctx);
            }
            Msg::Tick => {
                // A frame just drawn has moved everything on already.
                if browser::now_ms() - self.framed_at < 0.8 * f64::from(TICK_MS) {
                    return false;
                }
                self.now = self.store.borrow().now(browser::now_ms());
                self.catch_up();
            }
            Msg::AskServer => {
                self.ask_server(ctx);
                return false;
            }
            Msg::Server(answer) => {
                let same = self.server.as_ref() == Some(&answer);
                self.server = Some(answer);
                return !same;
            }
            Msg::Runs(Ok(runs)) => {
                self.join_running(ctx, &runs);
                self.runs = Some(runs);
            }
            Msg::Runs(Err(_)) => {
                self.runs.get_or_insert_default();
            }
            Msg::Lang(lang) => {
                self.lang = lang;
                prefs::keep_lang(lang);
                self.show_prefs();
            }
            Msg::Theme(theme) => {
                self.theme = theme;
                prefs::keep_theme(theme);
                self.show_prefs();
            }
            Msg::Page(page) => {
                self.page = page;
                if page == Page::Runs {
                    self.ask_runs(ctx);
                }
            }
            Msg::Preset(id) => {
                if let Some(form) = Form::of_preset(&id) {
                    self.form = form;
                }
            }
            Msg::Knob(name, text) => self.form.set(name, text),
            Msg::Reset => self.form = self.form.reset(),
            Msg::SaveScenario => {
                self.save_scenario();
                return false;
            }
            Msg::OpenScenario(name, text) => self.open_scenario(&name, &text),
            Msg::Run => self.start(ctx),
            Msg::Started(Ok(info)) => {
                self.starting = false;
                self.page = Page::Lab;
                self.follow(ctx, info);
            }
            Msg::Started(Err(problem)) => {
                self.starting = false;
                self.problem = Some(problem.message());
                self.ask_server(ctx);
            }
            Msg::Stop => self.stop(ctx),
            Msg::Followed(Ok(info)) => {
                if let Some(current) = self.current.as_mut().filter(|current| current.info.id == info.id) {
                    current.stopping = info.status == RunStatus::Stopping;
                    current.info = info;
                }
            }
            Msg::Followed(Err(_)) | Msg::Nothing => return false,
            Msg::OpenRun(info) => {
                self.page = Page::Lab;
                self.open(ctx, info);
            }
            Msg::DeleteRun(id) => {
                self.delete(ctx, id);
                return false;
            }
            Msg::SaveEvents(id) => {
                self.save_events(ctx, id);
                return false;
            }
            Msg::Recorded(run, events, pace) => {
                self.page = Page::Lab;
                self.play(ctx, run, events, pace);
            }
            Msg::OpenRecording(name, text) => match api::read_events(&text) {
                Ok(events) => {
                    self.page = Page::Lab;
                    self.play(ctx, None, events, Pace::RealTime);
                }
                Err(why) => {
                    let why = why.say(self.lang);
                    self.problem = Some(Message::new("page-bad-file").with("name", name).with("why", why));
                }
            },
            Msg::Select(worker) => self.selected = worker,
            Msg::Intervene(what) => self.intervene(ctx, what),
            Msg::Failed(problem) => {
                if let Some(current) = &mut self.current {
                    current.stopping = false;
                }
                self.problem = Some(problem.message());
            }
            Msg::Complain(message) => self.problem = Some(message),
            Msg::Dismiss => self.problem = None,
            Msg::Help(open) => self.help = open,
            Msg::Key(key) => return self.key(ctx, &key),
        }
        true
    }

    /// Folds news in at once, but draws once a frame at most.
    fn hear(&mut self, ctx: &Context<Self>, news: News) -> bool {
        let link = if let News::Link(link) = &news { Some(*link) } else { None };
        let same = link.is_some_and(|link| link == self.store.borrow().link);
        if same {
            return false;
        }
        self.store.borrow_mut().reduce(news, browser::now_ms());
        if matches!(link, Some(Link::Over | Link::Gone)) {
            self.after_end(ctx);
        }
        if !self.frame_due {
            self.frame_due = true;
            let frame = ctx.link().callback(|()| Msg::Frame);
            let wait = self.pace_ms() - (browser::now_ms() - self.framed_at);
            let paint = move || browser::next_frame(move || frame.emit(()));
            if wait > 0.0 {
                // Kept by the browser until it is due.
                Timeout::new(wait as u32, paint).forget();
            } else {
                paint();
            }
        }
        false
    }

    fn after_end(&mut self, ctx: &Context<Self>) {
        if let Some(id) = self.current.as_ref().map(|current| current.info.id) {
            ctx.link().send_future(async move { Msg::Followed(api::run(id).await) });
            self.ask_runs(ctx);
        }
    }

    /// A page that is opened (or opened again) while a run goes on shows it.
    fn join_running(&mut self, ctx: &Context<Self>, runs: &[rowlock_shared::wire::RunInfo]) {
        let look = !std::mem::replace(&mut self.joined, true) && self.feed.is_none() && !self.starting;
        if look && let Some(info) = runs.iter().find(|run| run.status != RunStatus::Ended) {
            self.form = Form::of(info.scenario.clone());
            self.follow(ctx, info.clone());
        }
    }

    pub(super) fn tick_while_running(&mut self, ctx: &Context<Self>) {
        let store = self.store.borrow();
        let goes_on = store.world.is_running() && store.link != Link::Gone;
        drop(store);
        if goes_on && self.ticker.is_none() {
            let tick = ctx.link().callback(|()| Msg::Tick);
            self.ticker = Some(Interval::new(TICK_MS, move || tick.emit(())));
        } else if !goes_on {
            self.ticker = None;
        }
    }

    /// Shortcuts; the letters of the Russian layout on the same keys count too.
    fn key(&mut self, ctx: &Context<Self>, key: &str) -> bool {
        match key {
            "r" | "к" => self.start(ctx),
            "s" | "ы" => self.stop(ctx),
            "j" | "о" => self.step_selection(1),
            "k" | "л" => self.step_selection(-1),
            "?" => self.help = !self.help,
            _ => return false,
        }
        true
    }

    fn step_selection(&mut self, by: i64) {
        let count = self.store.borrow().world.workers.len().max(1) as i64;
        let index = (i64::from(self.selected.0) - 1 + by).rem_euclid(count);
        self.selected = WorkerId(index as u32 + 1);
    }
}
