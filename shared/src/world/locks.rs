//! Row locks: who holds which, who waits in which line.

use super::workers::Waiting;
use super::{Activity, Holder, World};
use crate::event::Evidence;
use crate::ids::{Actor, JobId};
use crate::sql::StatementId;

impl World {
    /// Gives a row's lock to someone. Two holders of one row are a fault of the fold or of the evidence: it is counted
    /// and tests demand that it never happens.
    pub(super) fn hold(&mut self, id: JobId, who: Actor, evidence: Evidence) {
        let at = self.at;
        let former = self.job(id).and_then(|job| job.holder.as_ref()).filter(|holder| holder.who != who);
        if let Some((former, told)) = former.map(|holder| (holder.who, holder.evidence != Evidence::Observed)) {
            self.give_way(former, told && evidence != Evidence::Observed);
            if let Some(session) = self.session_mut(former) {
                session.holds.retain(|held| *held != id);
            }
        }
        if let Some(job) = self.job_mut(id) {
            job.holder = Some(match job.holder.take() {
                Some(same) if same.who == who => Holder { evidence, ..same },
                _ => Holder { who, since: at, modes: Vec::new(), evidence },
            });
        }
        if let Some(session) = self.session_mut(who)
            && !session.holds.contains(&id)
        {
            session.holds.push(id);
        }
    }

    /// Someone else has a row that `former` still seems to hold. Replies are not read in server order, so there are
    /// good reasons for it; without one (`told`: both say so themselves) it is a fault.
    fn give_way(&mut self, former: Actor, told: bool) {
        let Some(session) = self.session(former) else { return };
        let hangs = former
            .worker()
            .and_then(|id| self.worker(id))
            .is_some_and(|worker| matches!(worker.activity, Activity::Hung { .. }));
        match session.statement {
            // It has sent its ROLLBACK or COMMIT: the lock went over before the reply was read.
            Some(StatementId::Rollback) if session.ending => self.undo(former),
            _ if session.ending => self.settle(former),
            // The server has ended its session (a timeout, an administrator), and it will never read of that.
            _ if hangs => self.undo(former),
            // A holder that was only observed may have let go since the look.
            _ => self.counters.two_holders += u32::from(told),
        }
    }

    /// Takes away every lock that someone holds.
    pub(super) fn release_all(&mut self, who: Actor) {
        let held = self.session_mut(who).map(|session| std::mem::take(&mut session.holds)).unwrap_or_default();
        for id in held {
            if let Some(job) = self.job_mut(id)
                && job.holder.as_ref().is_some_and(|holder| holder.who == who)
            {
                job.holder = None;
            }
        }
    }

    pub(super) fn wait_began(&mut self, who: Actor, waiting: Waiting) {
        self.stop_waiting(who);
        let Some(session) = self.session_mut(who) else { return };
        session.waited_for = waiting.job;
        // Seen while its statement waited, told after the answer: the wait is over.
        if session.statement.is_some() && !session.in_flight {
            return;
        }
        let (job, place) = (waiting.job, waiting.place as usize);
        session.wait = Some(waiting);
        if let Some(job) = job.and_then(|id| self.job_mut(id)) {
            let index = place.saturating_sub(1).min(job.queue.len());
            job.queue.insert(index, who);
        }
    }

    /// Whoever waited no longer does: out of the session, out of the row's line.
    pub(super) fn stop_waiting(&mut self, who: Actor) {
        let wait = self.session_mut(who).and_then(|session| session.wait.take());
        if let Some(job) = wait.and_then(|wait| wait.job).and_then(|id| self.job_mut(id)) {
            job.queue.retain(|one| *one != who);
        }
    }

    /// An observation can be older than what the holder itself has told since: it never overrides that.
    pub(super) fn row_locked(&mut self, who: Actor, id: JobId, modes: &[String]) {
        let told = self.job(id).and_then(|job| job.holder.as_ref());
        let told =
            told.filter(|holder| holder.evidence != Evidence::Observed).map(|holder| (holder.who, holder.evidence));
        let evidence = match told {
            Some((holder, _)) if holder != who => return,
            Some((_, evidence)) => evidence,
            // Seen before its transaction ended, told after it.
            None if self.is_at_rest(who) => return,
            None => Evidence::Observed,
        };
        self.hold(id, who, evidence);
        if let Some(holder) = self.job_mut(id).and_then(|job| job.holder.as_mut()) {
            holder.modes = modes.to_vec();
        }
    }

    pub(super) fn row_released(&mut self, who: Actor, id: JobId) {
        if let Some(job) = self.job_mut(id)
            && job.holder.as_ref().is_some_and(|holder| holder.who == who && holder.evidence == Evidence::Observed)
        {
            job.holder = None;
            if let Some(session) = self.session_mut(who) {
                session.holds.retain(|held| *held != id);
            }
        }
    }

    /// Whether someone whose statements are told has none in flight and no transaction open: then they hold nothing.
    fn is_at_rest(&self, who: Actor) -> bool {
        self.session(who)
            .is_some_and(|session| session.statement.is_some() && !session.in_flight && session.transaction.is_none())
    }
}
