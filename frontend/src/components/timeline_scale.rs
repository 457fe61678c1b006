//! Where things stand on the timeline: time to place and back, and the axis.

use super::canvas::Paint;
use crate::store::{Lanes, Segment, SegmentKind};
use rowlock_shared::ids::Actor;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Room for the letters, px.
pub(super) const LEFT: f64 = 30.0;

/// Room to the right of the present, px.
const RIGHT: f64 = 10.0;

/// Room for the time axis, px.
const AXIS: f64 = 18.0;

/// A stretch of time, µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Span {
    pub(super) fn length(self) -> u64 {
        (self.to - self.from).max(1)
    }

    pub(super) fn x(self, at: u64, width: f64) -> f64 {
        let share = (at as f64 - self.from as f64) / self.length() as f64;
        LEFT + share * (width - LEFT - RIGHT)
    }

    /// The moment under a place, px from the left.
    pub(super) fn time(self, x: f64, width: f64) -> u64 {
        let share = ((x - LEFT) / (width - LEFT - RIGHT)).clamp(0.0, 1.0);
        self.from + (share * self.length() as f64) as u64
    }
}

/// What is under the cursor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    pub(super) who: Actor,
    pub(super) at: u64,
    /// None while idle.
    pub(super) kind: Option<SegmentKind>,
    pub(super) from: u64,
    pub(super) to: u64,
}

/// What a lane was at, at a moment.
pub(super) fn hit(lanes: &Lanes, lane: usize, at: u64, now: u64) -> Option<Hit> {
    let (who, lane) = lanes.iter().nth(lane)?;
    let covers = |segment: &&Segment| segment.from <= at && segment.to.unwrap_or(now) >= at;
    let hits: Vec<&Segment> = lane.segments.iter().filter(covers).collect();
    let best = hits.iter().find(|segment| segment.kind != SegmentKind::Hold).or(hits.first());
    Some(match best {
        Some(segment) => Hit {
            who,
            at,
            kind: Some(segment.kind),
            from: segment.from,
            to: segment.to.unwrap_or(now).max(segment.from),
        },
        None => Hit { who, at, kind: None, from: at, to: at },
    })
}

/// Height of a lane in px: thin when there are many.
pub(super) fn lane_height(lanes: usize) -> f64 {
    match lanes {
        0..=6 => 24.0,
        7..=16 => 15.0,
        17..=32 => 9.0,
        _ => 6.0,
    }
}

/// Gives the canvas the height of its lanes.
pub(super) fn stretch(canvas: &HtmlCanvasElement, lanes: usize) {
    let height = format!("{}px", lanes.max(5) as f64 * lane_height(lanes) + AXIS);
    if canvas.style().get_property_value("height").ok().as_ref() != Some(&height) {
        // Refused only for a malformed length.
        let _ = canvas.style().set_property("height", &height);
    }
}

/// A line from top to bottom.
pub(super) fn line(context: &CanvasRenderingContext2d, colour: &str, x: f64, bottom: f64, thickness: f64) {
    context.set_fill_style_str(colour);
    context.fill_rect(x, 0.0, thickness, bottom);
}

/// Seconds along the bottom, at distances that leave room for their labels.
pub(super) fn axis(context: &CanvasRenderingContext2d, paint: &Paint, span: Span, width: f64, bottom: f64) {
    let steps = [
        10_000u64, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 30_000_000,
        60_000_000,
    ];
    let room = (width - LEFT) / 64.0;
    let step = steps.into_iter().find(|step| span.length() as f64 / *step as f64 <= room).unwrap_or(120_000_000);
    context.set_font("11px system-ui, sans-serif");
    context.set_text_baseline("top");
    context.set_text_align("center");
    let mut at = span.from.next_multiple_of(step);
    while at <= span.to {
        let x = span.x(at, width);
        context.set_fill_style_str(&paint.colour("--line"));
        context.fill_rect(x.round(), 0.0, 1.0, bottom);
        context.set_fill_style_str(&paint.colour("--muted"));
        let decimals = if step >= 1_000_000 {
            0
        } else if step >= 100_000 {
            1
        } else {
            2
        };
        // Refused only without a font.
        let _ = context.fill_text(&format!("{:.decimals$}", at as f64 / 1e6), x.max(LEFT + 6.0), bottom + AXIS - 13.0);
        at += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_place_leads_back_to_its_moment() {
        let span = Span { from: 2_000_000, to: 14_000_000 };
        for at in [2_000_000, 5_250_000, 14_000_000] {
            assert!(span.time(span.x(at, 800.0), 800.0).abs_diff(at) < 2, "{at}");
        }
        assert_eq!(span.time(-50.0, 800.0), span.from, "left of the lanes is their beginning");
    }
}
