//! The statements: one file each in `sql/`, the very text that both engines execute and the page shows.
//!
//! A file may have slots, `{{name}}`, that the scenario's knobs fill from the closed list in this module; nothing that a
//! client typed ever gets into a statement.

pub mod schema;

use crate::scenario::{Fence, Isolation, LockStrength, Mode, Order, Scenario};
use serde::{Deserialize, Serialize};

macro_rules! statements {
    ($($(#[$meta:meta])* $variant:ident = $name:literal,)+) => {
        /// A statement of the queue program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum StatementId { $($(#[$meta])* $variant,)+ }

        impl StatementId {
            /// Every statement.
            pub const ALL: &'static [StatementId] = &[$(StatementId::$variant,)+];

            /// The name of its file, without the ending.
            pub fn file(self) -> &'static str {
                match self { $(StatementId::$variant => $name,)+ }
            }

            /// The file's text, slots unfilled.
            pub fn template(self) -> &'static str {
                match self { $(StatementId::$variant => include_str!(concat!("../../sql/", $name, ".sql")),)+ }
            }
        }
    };
}

statements! {
    /// The one-statement claim (for-update, skip-locked, nowait).
    Claim = "claim",
    /// First half of the naive claim.
    NaiveSelect = "naive_select",
    /// Second half of the naive claim.
    NaiveUpdate = "naive_update",
    /// The claim by advisory lock.
    ClaimAdvisory = "claim_advisory",
    /// The look that explains an empty claim.
    LookAfterEmpty = "look_after_empty",
    /// Acknowledge.
    Ack = "ack",
    /// Put back for a retry.
    Requeue = "requeue",
    /// Give up.
    DeadLetter = "dead_letter",
    /// Put new jobs on the queue.
    Enqueue = "enqueue",
    /// NOTIFY.
    Notify = "notify",
    /// The reaper's statement.
    Reap = "reap",
    /// Extend leases.
    Heartbeat = "heartbeat",
    /// Write an effect into the ledger.
    Effect = "effect",
    /// Count what is left to do.
    Remaining = "remaining",
    /// A worker's BEGIN.
    Begin = "begin",
    /// The producer's BEGIN.
    BeginEnqueue = "begin_enqueue",
    /// The bystander's BEGIN.
    BeginSnapshot = "begin_snapshot",
    /// COMMIT.
    Commit = "commit",
    /// ROLLBACK.
    Rollback = "rollback",
    /// The bystander's snapshot.
    HoldSnapshot = "hold_snapshot",
}

impl StatementId {
    /// Whether it controls a transaction and returns nothing.
    pub fn is_control(self) -> bool {
        self.is_begin() || matches!(self, StatementId::Commit | StatementId::Rollback)
    }

    /// Whether it opens a transaction.
    pub fn is_begin(self) -> bool {
        matches!(self, StatementId::Begin | StatementId::BeginEnqueue | StatementId::BeginSnapshot)
    }

    /// Whether it asks for jobs (either half of a naive claim counts).
    pub fn is_claim(self) -> bool {
        use StatementId::{Claim, ClaimAdvisory, NaiveSelect, NaiveUpdate};
        matches!(self, Claim | ClaimAdvisory | NaiveSelect | NaiveUpdate)
    }
}

/// The comment in front of the clause that is there for the picture and not for the queue. The page sets it apart.
pub const INSTRUMENTATION: &str = "-- instrumentation:";

/// The text of a statement under a scenario's knobs.
pub fn text(statement: StatementId, scenario: &Scenario) -> String {
    let mut text = String::new();
    for line in statement.template().lines() {
        let mut filled = line.to_owned();
        while let Some(start) = filled.find("{{") {
            let end = filled[start..].find("}}").map_or(filled.len(), |n| start + n + 2);
            let slot = filled[start..end].trim_matches(['{', '}']);
            let fill = slot_text(slot, scenario);
            filled.replace_range(start..end, &fill);
        }
        if filled.trim().is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(filled.trim_end());
    }
    text
}

fn slot_text(slot: &str, scenario: &Scenario) -> String {
    match slot {
        "order_by" => match scenario.order {
            Order::Unordered => "",
            Order::RunAt => "ORDER BY run_at",
            Order::RunAtId => "ORDER BY run_at, id",
            Order::PriorityRunAtId => "ORDER BY priority, run_at, id",
        }
        .to_owned(),
        "lock" => {
            let strength = match scenario.lock_strength {
                LockStrength::Update => "FOR UPDATE",
                LockStrength::NoKeyUpdate => "FOR NO KEY UPDATE",
            };
            let policy = match scenario.mode {
                Mode::SkipLocked => " SKIP LOCKED",
                Mode::Nowait => " NOWAIT",
                _ => "",
            };
            format!("{strength}{policy}")
        }
        // A number in the text and no parameter: for LIMIT $1 the planner has to assume a tenth of the table, finds its
        // generic plan too dear and plans the claim anew each time.
        "limit" => scenario.batch.to_string(),
        "attempts_left" if scenario.claim_checks_attempts => " AND attempts < max_attempts".to_owned(),
        "guard" if matches!(scenario.mode, Mode::NaiveGuarded | Mode::Advisory) => " AND status = 'queued'".to_owned(),
        "fence 2" => fence(scenario.fence, 2),
        "fence 3" => fence(scenario.fence, 3),
        "verdict" if scenario.reaper_checks_attempts && scenario.dead_letter => {
            "CASE WHEN jobs.attempts >= jobs.max_attempts THEN 'failed' ELSE 'queued' END".to_owned()
        }
        "verdict" => "'queued'".to_owned(),
        "isolation" => match scenario.isolation {
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::RepeatableRead => "REPEATABLE READ",
            Isolation::Serializable => "SERIALIZABLE",
        }
        .to_owned(),
        "evidence" if scenario.evidence => evidence(scenario),
        _ => String::new(),
    }
}

/// What an ack demands of the row; its parameters are numbered from `first`: the worker's name, the attempt.
fn fence(fence: Fence, first: u32) -> String {
    let owner = format!(" AND status = 'processing' AND worker = ${first}");
    match fence {
        Fence::Off => String::new(),
        Fence::Owner => owner,
        Fence::OwnerAttempt => format!("{owner} AND attempts = ${}", first + 1),
    }
}

/// A sub-select in RETURNING sees the statement's snapshot, so the queued jobs ahead of the claimed one are those that
/// were locked or had changed since (checked on PostgreSQL 15; the live tests check it on every version found). Only a
/// total order can say "ahead".
fn evidence(scenario: &Scenario) -> String {
    let (key, of_ahead, of_claimed) = match scenario.order {
        Order::RunAtId => ("run_at, id", "ahead.run_at, ahead.id", "jobs.run_at, jobs.id"),
        Order::PriorityRunAtId => {
            ("priority, run_at, id", "ahead.priority, ahead.run_at, ahead.id", "jobs.priority, jobs.run_at, jobs.id")
        }
        Order::Unordered | Order::RunAt => return String::new(),
    };
    let order: Vec<String> = key.split(", ").map(|column| format!("ahead.{column}")).collect();
    format!(
        ",\n  {INSTRUMENTATION} queued jobs ahead of this one that the claim passed over\n  \
         ARRAY(SELECT ahead.id FROM jobs AS ahead\n        \
         WHERE ahead.status = 'queued' AND ahead.run_at <= now()\n          \
         AND ({of_ahead}) < ({of_claimed})\n        \
         ORDER BY {} LIMIT 200) AS passed",
        order.join(", ")
    )
}

/// Every statement under one scenario, rendered once.
#[derive(Debug, Clone)]
pub struct Statements(Vec<String>);

impl Statements {
    /// Renders all of them.
    pub fn new(scenario: &Scenario) -> Statements {
        Statements(StatementId::ALL.iter().map(|id| text(*id, scenario)).collect())
    }

    /// The text of one.
    pub fn text(&self, statement: StatementId) -> &str {
        &self.0[statement as usize]
    }
}

#[cfg(test)]
mod tests;
