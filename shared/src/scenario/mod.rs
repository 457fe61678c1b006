//! A scenario: every knob of a run and one seed.
//!
//! [`Scenario`] is a flat record; [`KNOBS`] describes its fields for forms, command line and README; [`Scenario::check`]
//! is the one validation, used by page and server; [`fate`] turns the seed into arrivals, durations and fates.

mod check;
pub mod choice;
pub mod fate;
mod knob;
mod presets;

pub use check::{KnobError, Problem};
pub use choice::*;
pub use knob::{Group, KNOBS, Kind, Knob, MAX_SEED, Scenario, Unit};
pub use presets::{PRESETS, Preset, preset};

impl Knob {
    /// The knob of this name.
    pub fn named(name: &str) -> Option<&'static Knob> {
        KNOBS.iter().find(|knob| knob.name == name)
    }

    /// The value that the default scenario has here, as text.
    pub fn default_text(&self) -> String {
        Scenario::default().text_of(self.name)
    }
}

impl Scenario {
    /// Microseconds of real time for a duration of the scenario in ms. At least 1 µs for a duration that is not 0, so
    /// that no scale turns a period into a busy loop of zero-length sleeps.
    pub fn real_us(&self, scenario_ms: f64) -> u64 {
        if scenario_ms <= 0.0 {
            return 0;
        }
        libm::round(scenario_ms * 1000.0 / self.time_scale).max(1.0) as u64
    }

    /// The same in whole milliseconds, for PostgreSQL's settings: 0 stays 0 (off), all else is at least 1.
    pub fn real_ms(&self, scenario_ms: u32) -> u64 {
        match scenario_ms {
            0 => 0,
            ms => (self.real_us(f64::from(ms)) / 1000).max(1),
        }
    }

    /// Whether the order tells any two jobs apart, which is what makes "passed over" countable.
    pub fn total_order(&self) -> bool {
        matches!(self.order, Order::RunAtId | Order::PriorityRunAtId)
    }
}

#[cfg(test)]
mod tests;
