//! A run in memory.

use super::engine::{Engine, Player};
use super::hub::Hub;
use crate::live::StoredRun;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::wire::{RunId, RunInfo, RunStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

/// A run in memory.
pub(super) struct Entry {
    pub(super) id: RunId,
    pub(super) scenario: Scenario,
    pub(super) started_at: i64,
    pub(super) hub: Arc<Hub>,
    pub(super) player: Option<Box<dyn Player>>,
    pub(super) stopping: AtomicBool,
    /// Whether its schema is there, or may be.
    pub(super) has_schema: AtomicBool,
    /// Whether nothing more is to be done for it: it is in the database, or was given up.
    pub(super) settled: watch::Sender<bool>,
    /// When someone last asked for it, in the registry's count.
    pub(super) used: AtomicU64,
}

impl Entry {
    /// Asks the run to stop, unless it is over.
    pub(super) fn stop(&self) {
        if let Some(player) = self.player.as_ref().filter(|_| !self.hub.is_over()) {
            self.stopping.store(true, Ordering::SeqCst);
            player.stop();
        }
    }

    /// The run as lists show it.
    pub(super) fn info(&self, engine: Option<&dyn Engine>) -> RunInfo {
        let world = self.hub.world();
        let ended = world.ended.as_ref().map(|(reason, _)| *reason);
        let engine = engine.filter(|_| self.has_schema.load(Ordering::SeqCst));
        RunInfo {
            id: self.id,
            status: match ended {
                Some(_) => RunStatus::Ended,
                None if self.stopping.load(Ordering::SeqCst) => RunStatus::Stopping,
                None if world.seq == 0 => RunStatus::Preparing,
                None => RunStatus::Running,
            },
            ended,
            scenario: self.scenario.clone(),
            started_at: self.started_at,
            summary: ended.map(|_| world.summary()),
            psql: engine.map(|engine| engine.psql_line(self.id)),
        }
    }
}

/// A kept run as lists show it.
pub(super) fn stored_info(run: StoredRun) -> RunInfo {
    RunInfo {
        id: run.id,
        status: RunStatus::Ended,
        ended: Some(run.ended),
        scenario: run.scenario,
        started_at: run.started_at,
        summary: Some(run.summary),
        psql: None,
    }
}
