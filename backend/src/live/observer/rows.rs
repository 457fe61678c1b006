//! Row locks: who locked which row, as pgrowlocks has it.

use super::look::Look;
use rowlock_shared::event::What;
use rowlock_shared::ids::{Actor, JobId};
use rowlock_shared::program::Pulse;
use std::collections::BTreeMap;

/// The row locks as the last look had them.
#[derive(Default)]
pub(super) struct Rows {
    now: BTreeMap<(JobId, Actor), Vec<String>>,
}

impl Rows {
    /// Tells what changed since the last look.
    pub(super) fn update(&mut self, look: &Look, pulse: &Pulse, tell: &mut dyn FnMut(Actor, What)) {
        let Some(locks) = &look.rows else { return };
        let mut now = BTreeMap::new();
        for lock in locks {
            now.insert((lock.job, pulse.actor(lock.pid)), (lock.modes.clone(), lock.xid.clone()));
        }
        for (job, who) in self.now.keys().filter(|key| !now.contains_key(*key)) {
            tell(*who, What::RowReleased { job: *job });
        }
        for ((job, who), (modes, xid)) in &now {
            if self.now.get(&(*job, *who)) != Some(modes) {
                tell(*who, What::RowLocked { job: *job, modes: modes.clone(), xid: xid.clone() });
            }
        }
        self.now = now.into_iter().map(|(key, (modes, _))| (key, modes)).collect();
    }
}
