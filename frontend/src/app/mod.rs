//! The root: the one component that joins feed, store and pages. Everything below takes props and emits callbacks.

mod actions;
mod update;
mod view;

pub(crate) use view::{Status, mount};

use crate::api::Problem;
use crate::browser;
use crate::components::header::Top;
use crate::feed::{Feed, Pace};
use crate::form::Form;
use crate::pages::lab::Controls;
use crate::prefs::{self, Theme};
use crate::store::{Link, News, Store, View};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Interval;
use rowlock_shared::event::Event;
use rowlock_shared::ids::WorkerId;
use rowlock_shared::program::Point;
use rowlock_shared::text::{Lang, Message};
use rowlock_shared::wire::{Intervention, RunId, RunInfo, RunStatus, ServerInfo};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// How often the moving parts of the page are brought up to date between events, ms.
const TICK_MS: u32 = 100;

/// Least time between two renders while events pour in, ms: of a small run, and of one with more than [`SMALL`] workers.
const FRAME_MS: [f64; 2] = [30.0, 100.0];

/// Up to so many workers a run is small enough for the eye to follow each.
const SMALL: usize = 16;

/// Least time between two renders of what is long and read slowly (log, ledger, map), ms.
const SLOW_MS: f64 = 200.0;

/// How often the server is asked how it is, ms.
const SERVER_MS: u32 = 15_000;

/// The page's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// The stage and its controls.
    Lab,
    /// The runs so far.
    Runs,
}

/// What can happen to the page.
pub(crate) enum Msg {
    News(News),
    Frame,
    Tick,
    AskServer,
    Server(Result<ServerInfo, Problem>),
    Runs(Result<Vec<RunInfo>, Problem>),
    Lang(Lang),
    Theme(Theme),
    Page(Page),
    Preset(String),
    Knob(&'static str, String),
    Reset,
    SaveScenario,
    OpenScenario(String, String),
    Run,
    Started(Result<RunInfo, Problem>),
    Stop,
    Followed(Result<RunInfo, Problem>),
    OpenRun(RunInfo),
    DeleteRun(RunId),
    SaveEvents(RunId),
    Recorded(Option<RunId>, Vec<Event>, Pace),
    OpenRecording(String, String),
    Select(WorkerId),
    Intervene(Intervention),
    Failed(Problem),
    Complain(Message),
    Dismiss,
    Help(bool),
    Key(String),
    Nothing,
}

/// A run as the page handles it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Current {
    pub(crate) info: RunInfo,
    /// Stop was asked for, and the run has not ended yet.
    pub(crate) stopping: bool,
}

/// The root component.
pub(crate) struct App {
    lang: Lang,
    theme: Theme,
    page: Page,
    form: Form,
    server: Option<Result<ServerInfo, Problem>>,
    runs: Option<Vec<RunInfo>>,
    /// Whether it was looked for a run to join.
    joined: bool,
    store: Rc<RefCell<Store>>,
    revision: u64,
    /// The revision that slow parts have seen, and when (ms).
    slow: (u64, f64),
    frame_due: bool,
    /// When the last frame was drawn, ms.
    framed_at: f64,
    feed: Option<Feed>,
    current: Option<Current>,
    /// A run was asked for and is not there yet.
    starting: bool,
    selected: WorkerId,
    breaks: Vec<(Option<WorkerId>, Point)>,
    problem: Option<Message>,
    help: bool,
    now: u64,
    /// Made once: a new callback for each render would make every component below render again.
    controls: Controls,
    top: Top,
    ticker: Option<Interval>,
    _server_watch: Interval,
    _keys: Option<EventListener>,
}

impl Component for App {
    type Message = Msg;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link();
        link.send_message(Msg::AskServer);
        let watch = link.callback(|()| Msg::AskServer);
        let app = App {
            lang: prefs::lang(),
            theme: prefs::theme(),
            page: Page::Lab,
            form: Form::default(),
            server: None,
            runs: None,
            joined: false,
            store: Rc::new(RefCell::new(Store::default())),
            revision: 0,
            slow: (0, 0.0),
            frame_due: false,
            framed_at: 0.0,
            feed: None,
            current: None,
            starting: false,
            selected: WorkerId(1),
            breaks: Vec::new(),
            problem: None,
            help: false,
            now: 0,
            controls: view::controls(link),
            top: view::top(link),
            ticker: None,
            _server_watch: Interval::new(SERVER_MS, move || watch.emit(())),
            _keys: listen(link.callback(Msg::Key)),
        };
        app.show_prefs();
        app.ask_runs(ctx);
        app
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        self.handle(ctx, msg)
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        self.draw(ctx)
    }
}

impl App {
    fn show_prefs(&self) {
        browser::set_root("lang", self.lang.code());
        browser::set_root("data-theme", self.theme.word());
    }

    fn picture(&self) -> View {
        View::new(self.store.clone(), self.revision)
    }

    /// The picture for those who follow at leisure.
    fn slow_picture(&self) -> View {
        View::new(self.store.clone(), self.slow.0)
    }

    /// Least time between two renders, ms.
    fn pace_ms(&self) -> f64 {
        FRAME_MS[usize::from(self.store.borrow().world.workers.len() > SMALL)]
    }

    /// Lets the slow parts catch up if it is time, or if nothing more is to come.
    fn catch_up(&mut self) {
        let now = browser::now_ms();
        if now - self.slow.1 >= SLOW_MS || !self.store.borrow().world.is_running() {
            self.slow = (self.revision, now);
        }
    }

    /// Whether the run on the stage goes on, by what its server says and its events tell.
    fn is_running(&self) -> bool {
        let store = self.store.borrow();
        let ended = store.world.ended.is_some() || store.link == Link::Gone;
        self.current.as_ref().is_some_and(|current| current.info.status != RunStatus::Ended) && !ended
    }
}

/// Single keys that are shortcuts, unless they are meant for a field.
fn listen(keys: Callback<String>) -> Option<EventListener> {
    let document = web_sys::window()?.document()?;
    let options = EventListenerOptions::enable_prevent_default();
    Some(EventListener::new_with_options(&document, "keydown", options, move |event| {
        let Some(event) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
        let typing =
            event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()).is_some_and(|target| {
                matches!(target.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA")
                    && target.get_attribute("type").as_deref() != Some("radio")
            });
        let plain = !event.ctrl_key() && !event.alt_key() && !event.meta_key() && !event.repeat();
        if plain && !typing && matches!(event.key().as_str(), "r" | "s" | "j" | "k" | "?" | "к" | "ы" | "о" | "л") {
            event.prevent_default();
            keys.emit(event.key());
        }
    }))
}
