//! Savepoints, and the horizon that open snapshots hold back.

use super::Engine;
use super::session::Savepoint;
use crate::error::SqlError;
use crate::locks::SessionId;
use crate::storage::xact::Xid;

impl Engine {
    /// SAVEPOINT
    pub fn savepoint(&mut self, me: SessionId, name: &str) {
        let settings = self.session(me).settings.clone();
        let transaction = self.transaction_mut(me);
        let notifications = transaction.notifications.len();
        transaction.savepoints.push(Savepoint { name: name.to_owned(), xid: None, settings, notifications });
    }

    /// Rolls back what happened since the savepoint at this place began, and all savepoints inside it; it stays, afresh.
    pub fn rollback_to(&mut self, me: SessionId, place: usize) {
        self.abort_from(me, place);
        let transaction = self.transaction_mut(me);
        transaction.savepoints.truncate(place + 1);
        transaction.savepoints[place].xid = None;
        transaction.failed = false;
    }

    /// Undoes the savepoints from this place on: their changes, locks and settings.
    pub fn abort_from(&mut self, me: SessionId, place: usize) {
        let transaction = self.transaction_mut(me);
        let ended: Vec<Xid> =
            transaction.savepoints[place..].iter().rev().filter_map(|savepoint| savepoint.xid).collect();
        let Savepoint { settings, notifications, .. } = &transaction.savepoints[place];
        let (settings, notifications) = (settings.clone(), *notifications);
        transaction.notifications.truncate(notifications);
        // Savepoints released into these went with them: all ids from the outermost's on.
        let subs: Vec<Xid> = match ended.last() {
            Some(first) => transaction.subs.iter().copied().filter(|sub| sub >= first).collect(),
            None => Vec::new(),
        };
        let (undone, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut transaction.counts).into_iter().partition(|count| subs.contains(&count.0));
        transaction.counts = kept;
        transaction.subs.retain(|sub| !subs.contains(sub));
        let (undo, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut transaction.undo).into_iter().partition(|(depth, _)| *depth > place as u32);
        transaction.undo = kept;
        self.uncount(&undone);
        if !undo.is_empty() {
            crate::control::undo(self, undo.into_iter().map(|(_, undo)| undo).collect());
        }
        for sub in subs {
            if self.xacts.is_running(sub) {
                self.xacts.abort_sub(sub);
            }
            self.locks.transaction_ended(sub);
        }
        self.locks.release_from(me, place as u32 + 1);
        self.session_mut(me).settings = settings;
    }

    /// RELEASE: the savepoint at this place and those inside it become part of what they are in.
    pub fn release(&mut self, me: SessionId, place: usize) {
        let depth = place as u32 + 1;
        let transaction = self.transaction_mut(me);
        let released: Vec<Xid> = transaction.savepoints[place..].iter().filter_map(|savepoint| savepoint.xid).collect();
        transaction.savepoints.truncate(place);
        for (depth, _) in &mut transaction.undo {
            *depth = (*depth).min(place as u32);
        }
        for sub in released {
            self.locks.transaction_ended(sub);
        }
        self.locks.hand_up(me, depth);
    }

    /// The place of the innermost savepoint of this name; 3B001 if there is none.
    pub fn find_savepoint(&self, me: SessionId, name: &str) -> Result<usize, SqlError> {
        self.transaction(me)
            .savepoints
            .iter()
            .rposition(|savepoint| savepoint.name == name)
            .ok_or_else(|| SqlError::new("3B001", format!("savepoint \"{name}\" does not exist")))
    }

    /// The oldest id that anyone may still need to tell what they see: versions replaced before it are garbage.
    pub fn horizon(&self) -> Xid {
        self.sessions
            .iter()
            .flatten()
            .flat_map(|session| {
                let kept = session
                    .transaction
                    .as_ref()
                    .and_then(|transaction| transaction.snapshot.as_ref())
                    .map(|snapshot| snapshot.xmin);
                [session.xmin, kept].into_iter().flatten()
            })
            .min()
            .map_or_else(|| self.xacts.oldest_running(), |xmin| xmin.min(self.xacts.oldest_running()))
    }
}
