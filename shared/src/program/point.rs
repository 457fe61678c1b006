//! The places of the protocol at which a run can be paused, crashed or forced into an order.

use crate::scenario::CrashPoint;
use serde::{Deserialize, Serialize};

/// A protocol point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// Before BEGIN of the claim.
    BeforeClaim,
    /// Naive modes: between SELECT and UPDATE.
    AfterSelect,
    /// After the claim's statement, before its COMMIT.
    AfterClaim,
    /// Before the work: after the claim's COMMIT, or, with work held in the transaction, right after the claim.
    BeforeWork,
    /// Half-way through the work.
    InWork,
    /// After the effect, before the ack.
    AfterEffect,
    /// After the ack's statement, before its COMMIT.
    AfterAck,
    /// Not a place: wherever the worker was when a person or a lost session ended it.
    Anywhere,
}

impl Point {
    /// The points at which one can stop, in the protocol's order.
    pub const STOPS: [Point; 7] = [
        Point::BeforeClaim,
        Point::AfterSelect,
        Point::AfterClaim,
        Point::BeforeWork,
        Point::InWork,
        Point::AfterEffect,
        Point::AfterAck,
    ];

    /// The point's word, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Point::BeforeClaim => "before-claim",
            Point::AfterSelect => "after-select",
            Point::AfterClaim => "after-claim",
            Point::BeforeWork => "before-work",
            Point::InWork => "in-work",
            Point::AfterEffect => "after-effect",
            Point::AfterAck => "after-ack",
            Point::Anywhere => "anywhere",
        }
    }

    /// Whether a scenario's crash point is this one.
    pub fn is(self, crash: CrashPoint) -> bool {
        self.word() == crash.word()
    }
}
