//! Looks at the database from outside: sessions, waits, notifications.

use super::{Database, FIRST_PID, Wait};
use crate::engine::Notification;
use crate::locks::{SessionId, mode_name};

impl Database {
    /// Whether a session is open.
    pub fn is_open(&self, id: SessionId) -> bool {
        self.engine.sessions.get(id.0 as usize).is_some_and(Option::is_some)
    }

    /// A session's backend's process id.
    pub fn pid(&self, id: SessionId) -> i32 {
        FIRST_PID + id.0 as i32
    }

    /// The session of a process id.
    pub fn session_of(&self, pid: i32) -> Option<SessionId> {
        let id = SessionId(u32::try_from(pid - FIRST_PID).ok()?);
        self.is_open(id).then_some(id)
    }

    /// What a session waits for.
    pub fn wait_of(&self, id: SessionId) -> Option<Wait> {
        let waiting = self.engine.sessions.get(id.0 as usize)?.as_ref()?.waiting?;
        Some(Wait {
            tag: waiting.tag,
            mode: mode_name(waiting.mode),
            since: waiting.since,
            blockers: self.engine.blockers(id),
        })
    }

    /// Takes the notifications that came for a session.
    pub fn take_notifications(&mut self, id: SessionId) -> Vec<Notification> {
        self.engine.sessions[id.0 as usize]
            .as_mut()
            .map(|session| std::mem::take(&mut session.inbox))
            .unwrap_or_default()
    }

    /// Lets autovacuum pass once over the tables that are due: how many it vacuumed.
    pub fn autovacuum(&mut self, now: i64) -> usize {
        self.engine.now = now;
        let due = self.engine.autovacuum_due();
        for table in &due {
            self.engine.vacuum(*table, true);
        }
        due.len()
    }
}
