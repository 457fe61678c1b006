//! What the pages are made of: props in, callbacks out.

pub(crate) mod banner;
mod canvas;
pub(crate) mod chooser;
pub(crate) mod command_bar;
pub(crate) mod counters;
pub(crate) mod customers;
pub(crate) mod disc;
pub(crate) mod empty;
pub(crate) mod figures;
pub(crate) mod header;
pub(crate) mod help;
pub(crate) mod icon;
pub(crate) mod inspector;
pub(crate) mod interventions;
pub(crate) mod job_map;
pub(crate) mod job_note;
pub(crate) mod job_row;
pub(crate) mod jobs;
pub(crate) mod knob_field;
pub(crate) mod knobs;
pub(crate) mod log;
mod protocol;
pub(crate) mod sql_view;
pub(crate) mod stage;
pub(crate) mod timeline;
mod timeline_draw;
mod timeline_scale;
pub(crate) mod workers;

#[cfg(test)]
mod tests;
