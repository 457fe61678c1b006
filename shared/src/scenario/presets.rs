//! Ready-made scenarios, each a story that one knob turns into another.

use super::*;

/// A scenario with a name. Title and description are `preset-<id>` and `preset-<id>-about` of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// The name on the command line and in the API.
    pub id: &'static str,
    /// The scenario.
    pub scenario: fn() -> Scenario,
}

fn shop() -> Scenario {
    Scenario::default()
}

/// Every preset, in the order in which the page offers them.
pub const PRESETS: &[Preset] = &[
    Preset { id: "shop", scenario: shop },
    Preset { id: "convoy", scenario: || Scenario { mode: Mode::ForUpdate, ..shop() } },
    Preset {
        id: "duplicates",
        scenario: || Scenario { mode: Mode::Naive, shape: Shape::ClaimCommit, work_ms: 300, ..shop() },
    },
    Preset { id: "nowait-storm", scenario: || Scenario { mode: Mode::Nowait, ..shop() } },
    Preset {
        id: "crash-rescue",
        scenario: || Scenario {
            shape: Shape::ClaimCommit,
            crash_probability: 0.25,
            reaper: true,
            fence: Fence::OwnerAttempt,
            ..shop()
        },
    },
    Preset {
        id: "short-lease",
        scenario: || Scenario {
            shape: Shape::ClaimCommit,
            jobs: 10,
            work: WorkTime::Lognormal,
            work_sigma: 1.0,
            reaper: true,
            lease_ms: 900,
            reaper_period_ms: 200,
            ..shop()
        },
    },
    Preset {
        id: "peak",
        scenario: || Scenario {
            shape: Shape::ClaimCommit,
            jobs: 2000,
            arrival: Arrival::Poisson,
            arrival_rate: 200.0,
            work: WorkTime::Exponential,
            work_ms: 20,
            poll_interval_ms: 20,
            ..shop()
        },
    },
    Preset {
        id: "poison",
        scenario: || Scenario { shape: Shape::ClaimCommit, fail_probability: 0.4, work_ms: 300, ..shop() },
    },
    Preset {
        id: "hung",
        scenario: || Scenario { hang_probability: 0.1, idle_in_transaction_timeout_ms: 3000, work_ms: 500, ..shop() },
    },
    Preset {
        id: "advisory-trap",
        scenario: || Scenario {
            mode: Mode::AdvisoryUnguarded,
            shape: Shape::ClaimCommit,
            workers: 16,
            jobs: 200,
            work_ms: 0,
            ..shop()
        },
    },
    Preset {
        id: "thousand",
        scenario: || Scenario {
            shape: Shape::ClaimCommit,
            workers: 64,
            jobs: 10_000,
            work: WorkTime::Exponential,
            work_ms: 50,
            ..shop()
        },
    },
];

/// The preset of this name.
pub fn preset(id: &str) -> Option<Scenario> {
    PRESETS.iter().find(|preset| preset.id == id).map(|preset| (preset.scenario)())
}
