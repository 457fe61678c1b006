//! All jobs at a glance: a cell each, coloured by state. A click leads to the row.

use super::canvas::{Paint, fit};
use crate::prefs::Theme;
use crate::say::use_say;
use crate::store::View;
use rowlock_shared::world::{JobState, JobView, World};
use yew::prelude::*;

/// Height of the map in px, as in the style sheet.
const HEIGHT: f64 = 72.0;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    pub(crate) theme: Theme,
    /// Rows that the table shows, from 0.
    pub(crate) shown: (u32, u32),
    /// To a job's id.
    pub(crate) on_jump: Callback<u32>,
}

/// The map.
#[component]
pub(crate) fn JobMap(props: &Props) -> Html {
    let say = use_say();
    let canvas = use_node_ref();
    {
        let canvas = canvas.clone();
        use_effect_with((props.view.clone(), props.theme, props.shown), move |(view, _, shown)| {
            if let Some(canvas) = canvas.cast::<web_sys::HtmlCanvasElement>() {
                draw(&canvas, &view.read().world, *shown);
            }
        });
    }
    let onclick = {
        let (canvas, view, on_jump) = (canvas.clone(), props.view.clone(), props.on_jump.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(canvas) = canvas.cast::<web_sys::HtmlCanvasElement>() else { return };
            let jobs = view.read().world.jobs.len();
            let grid = Grid::new(f64::from(canvas.client_width()), jobs);
            if let Some(index) = grid.at(f64::from(event.offset_x()), f64::from(event.offset_y()), jobs) {
                on_jump.emit(index as u32 + 1);
            }
        })
    };
    let legend = ["queued", "locked", "processing", "done", "failed", "twice"];
    html! {
        <div class="map">
            <canvas ref={canvas} role="img" aria-label={say.t("page-map")} data-testid="job-map" {onclick}></canvas>
            <ul class="legend" aria-hidden="true">
                { for legend.iter().map(|one| html! { <li class={*one}><i></i>{ say.t(&format!("page-map-{one}")) }</li> }) }
            </ul>
        </div>
    }
}

/// Square cells that fill the map from left to right, line by line.
struct Grid {
    cell: f64,
    columns: usize,
}

impl Grid {
    fn new(width: f64, jobs: usize) -> Grid {
        let area = (width * HEIGHT / jobs.max(1) as f64).sqrt();
        let mut cell = area.clamp(2.0, 12.0);
        // Rounding up the number of lines must not push the last line out of the map.
        while cell > 1.0 && (jobs as f64 / (width / cell).floor().max(1.0)).ceil() * cell > HEIGHT {
            cell -= 0.25;
        }
        Grid { cell, columns: (width / cell).floor().max(1.0) as usize }
    }

    fn at(&self, x: f64, y: f64, jobs: usize) -> Option<usize> {
        let column = (x / self.cell) as usize;
        let index = (y / self.cell) as usize * self.columns + column;
        (column < self.columns && index < jobs).then_some(index)
    }
}

fn draw(canvas: &web_sys::HtmlCanvasElement, world: &World, shown: (u32, u32)) {
    let Some((context, width, height)) = fit(canvas) else { return };
    let paint = Paint::new();
    context.clear_rect(0.0, 0.0, width, height);
    let grid = Grid::new(width, world.jobs.len());
    let gap = if grid.cell >= 4.0 { 1.0 } else { 0.0 };
    // A colour at a time: setting the colour costs more than the rectangle.
    let kinds = ["--map-queued", "--map-locked", "--map-processing", "--map-done", "--map-failed", "--harm"];
    for (kind, name) in kinds.iter().enumerate() {
        context.set_fill_style_str(&paint.colour(name));
        for (index, _) in world.jobs.iter().enumerate().filter(|(_, job)| kind_of(job) == kind) {
            let (x, y) = ((index % grid.columns) as f64 * grid.cell, (index / grid.columns) as f64 * grid.cell);
            context.fill_rect(x, y, grid.cell - gap, grid.cell - gap);
        }
    }
    // Where the table stands.
    context.set_stroke_style_str(&paint.colour("--ink"));
    let (first, last) = (shown.0 as usize / grid.columns, (shown.1.max(1) as usize - 1) / grid.columns);
    let (top, bottom) = (first as f64 * grid.cell, (last + 1) as f64 * grid.cell);
    context.stroke_rect(0.5, top + 0.5, grid.columns as f64 * grid.cell - 1.0, (bottom - top - 1.0).max(1.0));
}

fn kind_of(job: &JobView) -> usize {
    match job.state {
        _ if job.duplicates > 0 || job.runs > 1 => 5,
        JobState::Queued if job.holder.is_some() => 1,
        JobState::Queued => 0,
        JobState::Processing => 2,
        JobState::Done => 3,
        JobState::Failed => 4,
    }
}
