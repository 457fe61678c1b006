//! How the timeline is drawn. Solid = at work, hatched = waiting for a lock, thin line = lock held, gap = idle.

use super::canvas::{Paint, fit};
use super::timeline_scale::{LEFT, Span, axis, lane_height, line};
use crate::store::{Lane, Lanes, MarkKind, SegmentKind};
use rowlock_shared::ids::{Actor, JobId};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Segments that began before the span and may still reach into it.
const OVERLAP: usize = 256;

/// Draws all of it.
pub(super) fn draw(canvas: &HtmlCanvasElement, lanes: &Lanes, span: Span, now: u64, cursor: Option<(usize, u64)>) {
    let Some((context, width, height)) = fit(canvas) else { return };
    let paint = Paint::new();
    let lane_height = lane_height(lanes.len());
    context.clear_rect(0.0, 0.0, width, height);
    axis(&context, &paint, span, width, lanes.len() as f64 * lane_height);
    for (index, (who, lane)) in lanes.iter().enumerate() {
        let pen = Pen { context: &context, span, width, now, top: index as f64 * lane_height, height: lane_height };
        pen.lane(&paint, who, lane, cursor.is_some_and(|(at, _)| at == index));
    }
    let bottom = lanes.len() as f64 * lane_height;
    line(&context, &paint.colour("--ink"), span.x(now, width), bottom, 1.5);
    if let Some((_, at)) = cursor {
        line(&context, &paint.colour("--muted"), span.x(at, width), bottom, 1.0);
    }
}

/// Where a lane is drawn.
struct Pen<'a> {
    context: &'a CanvasRenderingContext2d,
    span: Span,
    width: f64,
    now: u64,
    top: f64,
    height: f64,
}

impl Pen<'_> {
    fn lane(&self, paint: &Paint, who: Actor, lane: &Lane, pointed: bool) {
        let colour = match who.worker() {
            Some(worker) => paint.colour(&format!("--w{}", worker.index() % 8 + 1)),
            None => paint.colour("--muted"),
        };
        if pointed {
            self.context.set_fill_style_str(&paint.colour("--hover"));
            self.context.fill_rect(0.0, self.top, self.width, self.height);
        }
        self.letter(paint, &who, &colour);
        let (wait, harm, on_colour) = (paint.colour("--wait"), paint.colour("--harm"), paint.colour("--on-worker"));
        let hatch = paint.colour("--hatch");
        // Stretches that would fall on the same pixels are drawn once.
        let mut drawn_to = [f64::MIN; 2];
        let mut filled = false;
        let begun = lane.segments.partition_point(|segment| segment.from < self.span.from);
        for segment in lane.segments.range(begun.saturating_sub(OVERLAP)..) {
            let to = segment.to.unwrap_or(self.now);
            if to < self.span.from || segment.from > self.span.to {
                continue;
            }
            let x = self.span.x(segment.from, self.width).max(LEFT);
            let end = self.span.x(to, self.width).min(self.width);
            let track = &mut drawn_to[usize::from(segment.kind == SegmentKind::Hold)];
            if end - *track < 0.5 {
                continue;
            }
            *track = end;
            let length = (end - x).max(1.0);
            match segment.kind {
                // Setting a colour costs more than a rectangle: it is kept as long as it can be.
                SegmentKind::Work(job) => {
                    self.colour(&mut filled, &colour);
                    self.work(x, length);
                    if self.has_room(length, job) {
                        self.label(&on_colour, x, &job.to_string());
                        filled = false;
                    }
                }
                SegmentKind::Hold => {
                    self.colour(&mut filled, &colour);
                    self.rule(x, length);
                }
                SegmentKind::Wait(_) => {
                    self.hatch(&hatch, x, length);
                    filled = false;
                }
                SegmentKind::Hung(job) => {
                    self.hung(&harm, x, length);
                    if self.has_room(length, job) {
                        self.label(&colour, x, &job.to_string());
                    }
                    filled = false;
                }
                SegmentKind::Down => {
                    self.down(&harm, x, length);
                    filled = false;
                }
            }
        }
        for (at, kind) in lane.marks.iter().filter(|(at, _)| (self.span.from..=self.span.to).contains(at)) {
            self.mark(*at, *kind, &wait, &harm);
        }
    }

    /// Top and height of a bar.
    fn bar(&self) -> (f64, f64) {
        let inset = if self.height > 12.0 { 4.0 } else { 1.0 };
        (self.top + inset, self.height - 2.0 * inset - if self.height > 12.0 { 2.0 } else { 1.0 })
    }

    fn letter(&self, paint: &Paint, who: &Actor, colour: &str) {
        self.context.set_fill_style_str(if self.height > 12.0 { colour } else { "transparent" });
        if self.height > 12.0 {
            let radius = (self.height / 2.0 - 3.0).min(8.5);
            self.context.begin_path();
            // Refused only for a radius below zero.
            let _ = self.context.arc(11.0, self.top + self.height / 2.0 - 1.0, radius, 0.0, std::f64::consts::TAU);
            self.context.fill();
            self.context.set_fill_style_str(&paint.colour("--on-worker"));
            self.context.set_font(if self.height > 20.0 {
                "bold 10px system-ui, sans-serif"
            } else {
                "bold 8px system-ui, sans-serif"
            });
        } else if self.height > 8.0 {
            self.context.set_fill_style_str(&paint.colour("--ink-2"));
            self.context.set_font("8px system-ui, sans-serif");
        } else {
            self.context.set_fill_style_str(colour);
            self.context.fill_rect(8.0, self.top + 1.0, 8.0, self.height - 2.0);
            return;
        }
        self.context.set_text_align("center");
        self.context.set_text_baseline("middle");
        let mark = if who.worker().is_some() { who.mark() } else { "?".to_owned() };
        let _ = self.context.fill_text(&mark, 11.0, self.top + self.height / 2.0 - 0.5);
    }

    fn colour(&self, filled: &mut bool, colour: &str) {
        if !std::mem::replace(filled, true) {
            self.context.set_fill_style_str(colour);
        }
    }

    /// Whether a bar has room for its job's number.
    fn has_room(&self, length: f64, job: JobId) -> bool {
        self.height > 12.0 && length > 14.0 + 6.0 * f64::from(job.0.max(1).ilog10())
    }

    fn label(&self, colour: &str, x: f64, text: &str) {
        self.context.set_fill_style_str(colour);
        self.context.set_font(if self.height > 20.0 {
            "10px system-ui, sans-serif"
        } else {
            "8px system-ui, sans-serif"
        });
        self.context.set_text_align("left");
        self.context.set_text_baseline("middle");
        let (top, height) = self.bar();
        let _ = self.context.fill_text(text, x + 4.0, top + height / 2.0 + 0.5);
    }

    fn work(&self, x: f64, length: f64) {
        let (top, height) = self.bar();
        self.context.fill_rect(x, top, (length - 0.5).max(0.75), height);
    }

    fn hatch(&self, colour: &str, x: f64, length: f64) {
        let (top, height) = self.bar();
        if length < 3.0 {
            self.context.set_fill_style_str(colour);
            return self.context.fill_rect(x, top, length, height);
        }
        self.context.save();
        self.context.begin_path();
        self.context.rect(x, top, length, height);
        self.context.clip();
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(if height > 6.0 { 1.5 } else { 1.0 });
        self.context.begin_path();
        let distance = if height > 6.0 { 6.0 } else { 3.0 };
        // The hatch stands still while the window slides over it.
        let mut at = x - x.rem_euclid(distance) - height;
        while at < x + length {
            self.context.move_to(at, top + height);
            self.context.line_to(at + height, top);
            at += distance;
        }
        self.context.stroke();
        self.context.restore();
    }

    fn rule(&self, x: f64, length: f64) {
        let (top, height) = self.bar();
        self.context.fill_rect(
            x,
            top + height + if self.height > 12.0 { 1.5 } else { 0.0 },
            length,
            if self.height > 12.0 { 2.0 } else { 1.0 },
        );
    }

    fn hung(&self, harm: &str, x: f64, length: f64) {
        let (top, height) = self.bar();
        self.context.set_stroke_style_str(harm);
        self.context.set_line_width(1.2);
        self.context.stroke_rect(x + 0.6, top + 0.6, (length - 1.2).max(0.5), (height - 1.2).max(0.5));
    }

    fn down(&self, harm: &str, x: f64, length: f64) {
        let (top, height) = self.bar();
        self.context.set_fill_style_str(harm);
        let mut at = x + 6.0;
        while at < x + length {
            self.context.fill_rect(at, top + height / 2.0, 2.0, 1.5);
            at += 5.0;
        }
    }

    fn mark(&self, at: u64, kind: MarkKind, wait: &str, harm: &str) {
        let x = self.span.x(at, self.width);
        let (top, height) = self.bar();
        match kind {
            MarkKind::Error => {
                self.context.set_fill_style_str(wait);
                self.context.fill_rect(x, top, 1.2, height);
            }
            MarkKind::Stale => {
                self.context.set_fill_style_str(wait);
                self.context.fill_rect(x - 1.5, top - 1.0, 3.0, 3.0);
            }
            MarkKind::Duplicate => {
                self.context.set_fill_style_str(harm);
                self.context.begin_path();
                let _ = self.context.arc(x, top + 1.5, 3.0, 0.0, std::f64::consts::TAU);
                self.context.fill();
            }
            MarkKind::Crash => {
                self.context.set_stroke_style_str(harm);
                self.context.set_line_width(2.0);
                let (y, r) = (top + height / 2.0, (height / 2.0 - 1.0).clamp(2.0, 4.0));
                self.context.begin_path();
                self.context.move_to(x - r, y - r);
                self.context.line_to(x + r, y + r);
                self.context.move_to(x + r, y - r);
                self.context.line_to(x - r, y + r);
                self.context.stroke();
            }
        }
    }
}
