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
    // What was drawn last: only cells that changed are drawn again.
    let drawn = use_mut_ref(Drawn::default);
    // The lines of cells that the table shows, px from the top.
    let frame = use_state_eq(|| (0.0, 0.0));
    {
        let (canvas, frame) = (canvas.clone(), frame.clone());
        use_effect_with((props.view.clone(), props.theme, props.shown), move |(view, theme, shown)| {
            if let Some(canvas) = canvas.cast::<web_sys::HtmlCanvasElement>() {
                let store = view.read();
                let grid = draw(&canvas, &store.world, *theme, &mut drawn.borrow_mut());
                frame.set(grid.map_or((0.0, 0.0), |grid| grid.lines(*shown)));
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
            <svg class="shown" aria-hidden="true" width="100%" height={HEIGHT.to_string()}>
                <rect x="0.5" y={frame.0.to_string()} width="99.7%" height={(frame.1 - frame.0).to_string()} />
            </svg>
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

    /// Top and bottom of the lines that hold these cells.
    fn lines(&self, (from, to): (u32, u32)) -> (f64, f64) {
        let line = |cell: u32| (cell as usize / self.columns) as f64;
        (line(from) * self.cell, (line(to.saturating_sub(1)) + 1.0) * self.cell)
    }

    fn at(&self, x: f64, y: f64, jobs: usize) -> Option<usize> {
        let column = (x / self.cell) as usize;
        let index = (y / self.cell) as usize * self.columns + column;
        (column < self.columns && index < jobs).then_some(index)
    }
}

/// What a canvas shows.
#[derive(Debug, Default)]
struct Drawn {
    /// Under which size and theme.
    setting: Option<(u32, u32, Theme)>,
    /// The kind of each cell.
    kinds: Vec<u8>,
}

/// The colours of the kinds of cells.
const COLOURS: [&str; 6] = ["--map-queued", "--map-locked", "--map-processing", "--map-done", "--map-failed", "--harm"];

/// Draws the cells that have changed since the last time; all of them after a change of size or theme.
fn draw(canvas: &web_sys::HtmlCanvasElement, world: &World, theme: Theme, drawn: &mut Drawn) -> Option<Grid> {
    let (context, width, height) = fit(canvas)?;
    let setting = Some((canvas.width(), canvas.height(), theme));
    if drawn.setting != setting || drawn.kinds.len() != world.jobs.len() {
        context.clear_rect(0.0, 0.0, width, height);
        drawn.setting = setting;
        drawn.kinds = vec![u8::MAX; world.jobs.len()];
    }
    let grid = Grid::new(width, world.jobs.len());
    let gap = if grid.cell >= 4.0 { 1.0 } else { 0.0 };
    let paint = Paint::new();
    // A colour at a time: setting the colour costs more than the rectangle.
    let mut changed: [Vec<usize>; COLOURS.len()] = Default::default();
    for (index, (job, before)) in world.jobs.iter().zip(&mut drawn.kinds).enumerate() {
        let kind = kind_of(job);
        if std::mem::replace(before, kind) != kind {
            changed[usize::from(kind)].push(index);
        }
    }
    for (colour, cells) in COLOURS.iter().zip(changed).filter(|(_, cells)| !cells.is_empty()) {
        context.set_fill_style_str(&paint.colour(colour));
        for index in cells {
            let (column, line) = ((index % grid.columns) as f64, (index / grid.columns) as f64);
            // Whole pixels: a blurred edge would keep a trace of the colour before.
            let (left, top) = ((column * grid.cell).round(), (line * grid.cell).round());
            let (right, bottom) = (((column + 1.0) * grid.cell).round(), ((line + 1.0) * grid.cell).round());
            context.fill_rect(left, top, (right - left - gap).max(1.0), (bottom - top - gap).max(1.0));
        }
    }
    Some(grid)
}

fn kind_of(job: &JobView) -> u8 {
    match job.state {
        _ if job.duplicates > 0 || job.runs > 1 => 5,
        JobState::Queued if job.holder.is_some() => 1,
        JobState::Queued => 0,
        JobState::Processing => 2,
        JobState::Done => 3,
        JobState::Failed => 4,
    }
}
