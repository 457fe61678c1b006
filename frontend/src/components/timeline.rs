//! The timeline: a lane for everyone, drawn on a canvas; pointer and arrow keys tell exact times.

use super::canvas::fit;
use super::timeline_draw::draw;
use super::timeline_scale::{Hit, Span, hit, lane_height, stretch};
use crate::browser;
use crate::fmt;
use crate::prefs::Theme;
use crate::say::{Say, use_say};
use crate::store::{SegmentKind, View};
use rowlock_shared::text::Message;
use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// From so many lanes on, the picture moves in steps.
const MANY: usize = 16;

/// Length of the sliding window, µs.
const WINDOW_US: u64 = 12_000_000;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    pub(crate) now: u64,
    pub(crate) theme: Theme,
}

/// The timeline.
#[component]
pub(crate) fn Timeline(props: &Props) -> Html {
    let say = use_say();
    let canvas = use_node_ref();
    let whole = use_state_eq(|| false);
    // The lane and the moment (µs) pointed at.
    let cursor = use_state_eq(|| None::<(usize, u64)>);
    let running = props.view.read().world.is_running();
    let (lanes, now) = (props.view.read().lanes.len(), props.now);
    let span = span(now, !running || *whole);
    let slides = running && !browser::reduced_motion();
    {
        let canvas = canvas.clone();
        let deps = (props.view.clone(), now, props.theme, *whole, *cursor);
        use_effect_with(deps, move |(view, now, _, _, cursor)| {
            if let Some(canvas) = canvas.cast::<web_sys::HtmlCanvasElement>() {
                stretch(&canvas, lanes);
                // While the picture slides by itself, it is drawn there.
                if slides {
                    return;
                }
                draw(&canvas, &view.read().lanes, span, *now, *cursor);
            }
        });
    }
    use_smooth(props, canvas.clone(), slides, *whole, *cursor);
    let point = {
        let (canvas, cursor, view) = (canvas.clone(), cursor.clone(), props.view.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(canvas) = canvas.cast::<web_sys::HtmlCanvasElement>() else { return };
            let Some((_, width, _)) = fit(&canvas) else { return };
            let lanes = view.read().lanes.len();
            let lane = (f64::from(event.offset_y()) / lane_height(lanes)) as usize;
            cursor.set((lane < lanes).then(|| (lane, span.time(f64::from(event.offset_x()), width))));
        })
    };
    let leave = {
        let cursor = cursor.clone();
        Callback::from(move |_: MouseEvent| cursor.set(None))
    };
    let keys = {
        let cursor = cursor.clone();
        Callback::from(move |event: KeyboardEvent| {
            let (lane, at) = (*cursor).unwrap_or((0, span.from + span.length() / 2));
            let step = span.length() / 60;
            let next = match event.key().as_str() {
                "ArrowLeft" => (lane, at.saturating_sub(step).max(span.from)),
                "ArrowRight" => (lane, (at + step).min(span.to)),
                "ArrowUp" => (lane.saturating_sub(1), at),
                "ArrowDown" => ((lane + 1).min(lanes.saturating_sub(1)), at),
                "Escape" => return cursor.set(None),
                _ => return,
            };
            event.prevent_default();
            cursor.set(Some(next));
        })
    };
    let toggle = {
        let whole = whole.clone();
        Callback::from(move |_: MouseEvent| whole.set(!*whole))
    };
    let told = cursor.and_then(|(lane, at)| hit(&props.view.read().lanes, lane, at, now)).map(|hit| tell(say, &hit));
    html! {
        <section class="card timeline" aria-label={say.t("page-timeline")}>
            <h2>{ say.t("page-timeline") }
                <span class="hint" role="status" data-testid="timeline-told">
                    { told.unwrap_or_else(|| say.t("page-timeline-about")) }
                </span>
                <button class="link" aria-pressed={(!running || *whole).to_string()} disabled={!running} data-testid="timeline-whole" onclick={toggle}>
                    { say.t("page-timeline-whole") }
                </button>
            </h2>
            <canvas ref={canvas} tabindex="0" role="img" aria-label={say.t("page-timeline-label")} data-testid="timeline"
                onmousemove={point} onmouseleave={leave} onkeydown={keys}></canvas>
        </section>
    }
}

/// The stretch of time in view.
fn span(now: u64, whole: bool) -> Span {
    if whole || now <= WINDOW_US {
        // A run that has just begun does not stretch its first moments over the whole width.
        return Span { from: 0, to: now.max(if whole { 1_000 } else { 3_000_000 }) };
    }
    Span { from: now - WINDOW_US, to: now }
}

/// Between the page's ticks the picture slides on by itself, unless the reader asks for less motion.
#[hook]
fn use_frames(key: impl PartialEq + 'static, on: bool, every_ms: f64, draw: impl Fn() + 'static) {
    use_effect_with(key, move |_| {
        let alive = Rc::new(Cell::new(on));
        if on {
            frame(alive.clone(), Rc::new(draw), every_ms, 0.0);
        }
        move || alive.set(false)
    });
}

/// Draws before each frame, but leaves as much time free as the last drawing took, three times over.
fn frame(alive: Rc<Cell<bool>>, draw: Rc<dyn Fn()>, every_ms: f64, not_before: f64) {
    browser::next_frame(move || {
        if !alive.get() {
            return;
        }
        let begun = browser::now_ms();
        if begun < not_before {
            return frame(alive, draw, every_ms, not_before);
        }
        draw();
        let ended = browser::now_ms();
        frame(alive, draw, every_ms, (ended + 3.0 * (ended - begun)).max(begun + every_ms));
    });
}

#[hook]
fn use_smooth(props: &Props, canvas: NodeRef, on: bool, whole: bool, cursor: Option<(usize, u64)>) {
    let view = props.view.clone();
    let many = view.read().lanes.len() > MANY;
    let every_ms = if many { 150.0 } else { 0.0 };
    use_frames((on, many, whole, cursor, props.theme), on, every_ms, move || {
        if let Some(canvas) = canvas.cast::<web_sys::HtmlCanvasElement>() {
            let store = view.read();
            let now = store.now(browser::now_ms());
            draw(&canvas, &store.lanes, span(now, whole), now, cursor);
        }
    });
}

fn tell(say: Say, hit: &Hit) -> String {
    let who = hit.who.mark();
    let (from, to) = (fmt::moment(say.0, hit.from), fmt::moment(say.0, hit.to));
    let length = fmt::duration(say.0, hit.to - hit.from);
    let message = match hit.kind {
        None => return say.m(&Message::new("page-lane-idle").with("who", who).with("at", fmt::moment(say.0, hit.at))),
        Some(SegmentKind::Work(job)) => Message::new("page-lane-work").with("job", job.to_string()),
        Some(SegmentKind::Wait(Some(job))) => Message::new("page-lane-wait-row").with("job", job.to_string()),
        Some(SegmentKind::Wait(None)) => Message::new("page-lane-wait"),
        Some(SegmentKind::Hold) => Message::new("page-lane-hold"),
        Some(SegmentKind::Hung(job)) => Message::new("page-lane-hung").with("job", job.to_string()),
        Some(SegmentKind::Down) => Message::new("page-lane-down"),
    };
    say.m(&message.with("who", who).with("from", from).with("to", to).with("length", length))
}
