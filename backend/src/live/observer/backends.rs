//! Backends that matter to the run and are none of its sessions: orphans of crashed workers, and strangers in the way.

use super::look::Look;
use rowlock_shared::event::What;
use rowlock_shared::ids::Actor;
use rowlock_shared::program::Pulse;
use sqlx::{PgConnection, Row};
use std::collections::{BTreeMap, BTreeSet};

/// The backends as the last look had them: application, state, query.
#[derive(Default)]
pub(super) struct Backends {
    now: BTreeMap<i32, (String, String, String)>,
}

impl Backends {
    /// Asks pg_stat_activity about whoever the look met and the run does not know, and tells what changed.
    pub(super) async fn update(
        &mut self,
        connection: &mut PgConnection,
        look: &Look,
        pulse: &Pulse,
        tell: &mut dyn FnMut(Actor, What),
    ) -> Result<(), sqlx::Error> {
        let met = look.waits.iter().flat_map(|wait| wait.blockers.iter().chain([&wait.pid])).copied();
        let met = met.chain(look.rows.iter().flatten().map(|lock| lock.pid)).filter(|pid| *pid > 0);
        let strangers = met.filter(|pid| matches!(pulse.actor(*pid), Actor::Stranger { .. }));
        let strangers = strangers.chain(pulse.orphans()).chain(self.now.keys().copied());
        // A hung worker does not notice that the server has ended its session.
        let wanted: BTreeSet<i32> = strangers.chain(pulse.workers()).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let query = sqlx::query(include_str!("../../../sql/observe/activity.sql"));
        let mut seen = BTreeMap::new();
        for row in query.bind(wanted.iter().copied().collect::<Vec<i32>>()).fetch_all(connection).await? {
            seen.insert(row.try_get::<i32, _>(0)?, (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?));
        }
        // Who is who is asked again now: a worker may have crashed while the answer was on its way.
        let mut now = BTreeMap::new();
        for pid in wanted {
            match (pulse.actor(pid), seen.remove(&pid)) {
                (who @ Actor::Worker(_), None) => {
                    tell(who, What::BackendGone);
                    pulse.bury(pid);
                }
                (who @ Actor::Stranger { .. }, None) => {
                    if self.now.contains_key(&pid) {
                        tell(who, What::BackendGone);
                    }
                    pulse.bury(pid);
                }
                (who @ Actor::Stranger { .. }, Some(backend)) => {
                    if self.now.get(&pid) != Some(&backend) {
                        let (application, state, query) = backend.clone();
                        tell(who, What::BackendSeen { orphan_of: pulse.orphan_of(pid), application, state, query });
                    }
                    now.insert(pid, backend);
                }
                _ => {}
            }
        }
        self.now = now;
        Ok(())
    }
}
