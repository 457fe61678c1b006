//! The fold itself: one event into the world.

use super::workers::{Change, Waiting};
use super::{Activity, ActorKey, BackendView, EffectView, ObserverView, Transaction, WorkerView, World};
use crate::event::{ClaimedJob, Event, Evidence, Refusal, What};
use crate::ids::{Actor, JobId, WorkerId};
use crate::scenario::{Mode, Order};
use crate::sql::StatementId;

impl World {
    /// Folds one event in.
    pub fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        self.at = self.at.max(event.at);
        let who = event.who;
        match &event.what {
            What::RunBegan { scenario, engine } => {
                self.workers = (1..=scenario.workers).map(|n| WorkerView::new(WorkerId(n))).collect();
                self.scenario = Some(scenario.clone());
                self.engine.clone_from(engine);
            }
            What::RunEnded { reason, detail } => {
                for n in 1..=self.workers.len() {
                    let who = Actor::Worker(WorkerId(n as u32));
                    if let Some(activity) = self.workers.get(n - 1).map(|worker| worker.activity.clone()) {
                        self.set_activity(who, activity);
                    }
                }
                self.ended = Some((*reason, detail.clone()));
            }
            What::Notice { message } => self.notices.push(message.clone()),
            What::Connected { pid } => {
                self.undo(who);
                if let Some(session) = self.session_mut(who) {
                    *session = super::SessionView { pid: Some(*pid), ..Default::default() };
                }
            }
            What::SessionLost { refusal } => {
                self.undo(who);
                self.counters.sessions_lost += 1;
                self.stop_running(who);
                if let Some(session) = self.session_mut(who) {
                    session.refusal = Some(refusal.clone());
                    session.in_flight = false;
                }
                self.set_activity(who, Activity::Starting);
            }
            What::Sent { statement } => self.sent(who, *statement),
            What::Returned { statement, refusal, .. } => self.returned(who, *statement, refusal.as_ref()),
            What::Enqueued { first, count, priorities } => self.enqueued(*first, *count, priorities),
            What::PollBegan { .. } => {
                self.counters.polls += 1;
                self.set_activity(who, Activity::Polling);
                let at = self.at;
                if let Some(worker) = self.worker_mut(who) {
                    worker.poll_since = at;
                    worker.hopped.clear();
                }
            }
            What::Claimed { jobs } => self.claimed(who, jobs, event.evidence),
            What::ClaimEmpty { reason } => {
                *self.counters.empty.entry(*reason).or_insert(0) += 1;
                self.poll_answered(who);
            }
            What::RaceLost { .. } => {
                self.counters.races_lost += 1;
                self.poll_answered(who);
            }
            What::PauseBegan { reason, us } => {
                let since = self.at;
                self.set_activity(who, Activity::Pausing { reason: *reason, since, us: *us });
            }
            What::WorkBegan { job, delivery, us, .. } => self.work_began(who, *job, *delivery, *us),
            What::WorkEnded { job, ok, .. } => self.work_ended(who, *job, *ok),
            What::Effect { job, effect, delivery, repeats } => {
                self.counters.effects += 1;
                self.counters.duplicates += u32::from(repeats.is_some());
                if let Some(view) = self.job_mut(*job) {
                    view.effects += 1;
                    view.duplicates += u32::from(repeats.is_some());
                }
                if let Some(worker) = who.worker() {
                    let (at, job, delivery, repeats) = (event.at, *job, *delivery, *repeats);
                    self.effects.push(EffectView { at, job, effect: effect.clone(), worker, delivery, repeats });
                }
            }
            What::EffectSuppressed { .. } => self.counters.suppressed += 1,
            What::Acked { job } => self.change(who, Change::Ack { job: *job }),
            What::StaleAck { .. } => self.counters.stale_acks += 1,
            What::Requeued { job, delay_us, .. } => {
                let due_at = event.at + delay_us;
                self.change(who, Change::Requeue { job: *job, due_at });
            }
            What::DeadLettered { job, .. } => self.change(who, Change::DeadLetter { job: *job }),
            What::Committed => {
                self.counters.commits += u32::from(who.worker().is_some());
                self.settle(who);
                if let Some(session) = self.session_mut(who) {
                    session.ending = false;
                }
            }
            What::RolledBack => {
                self.counters.rollbacks += u32::from(who.worker().is_some());
                self.undo(who);
            }
            What::Crashed { point, .. } => {
                self.counters.crashes += 1;
                self.undo(who);
                self.stop_running(who);
                if let Some(session) = self.session_mut(who) {
                    *session = super::SessionView::default();
                }
                self.set_activity(who, Activity::Crashed { point: *point });
            }
            What::Hung { job } => {
                self.counters.hangs += 1;
                self.set_activity(who, Activity::Hung { job: *job });
            }
            What::Restarted => self.set_activity(who, Activity::Starting),
            What::Reaped { job, owner, attempt, dead, .. } => self.reaped(*job, *owner, *attempt, *dead),
            What::Heartbeat { jobs } => self.counters.heartbeats += jobs.len() as u32,
            What::WaitBegan { wait, job, blocked_by, place, since, lock } => {
                self.counters.waits += 1;
                let (wait, blocked_by, lock) = (*wait, blocked_by.clone(), lock.clone());
                self.wait_began(who, Waiting { wait, job: *job, blocked_by, place: *place, since: *since, lock });
            }
            What::WaitMoved { wait, blocked_by, place, lock } => {
                let known = self.session(who).and_then(|session| session.wait.as_ref());
                if let Some((job, since)) = known.map(|known| (known.job, known.since)) {
                    let (wait, blocked_by, lock) = (*wait, blocked_by.clone(), lock.clone());
                    self.wait_began(who, Waiting { wait, job, blocked_by, place: *place, since, lock });
                }
            }
            What::WaitEnded { us } => {
                self.stop_waiting(who);
                self.counters.waited_us += us;
                self.counters.wait_time.add(*us);
                if let Some(worker) = self.worker_mut(who) {
                    worker.waited_us += us;
                }
            }
            What::RowLocked { job, modes, .. } => self.row_locked(who, *job, modes),
            What::RowReleased { job } => self.row_released(who, *job),
            What::BackendSeen { orphan_of, application, state, query } => {
                if let Some(session) = self.session_mut(who) {
                    let (orphan_of, application) = (*orphan_of, application.clone());
                    let backend = BackendView { orphan_of, application, state: state.clone(), query: query.clone() };
                    session.backend = Some(backend);
                }
            }
            What::BackendGone => {
                // Rolled back by the server, whether its client has noticed or not.
                self.undo(who);
                match who.worker().and_then(|id| self.workers.get_mut(id.index())) {
                    Some(worker) => worker.session.pid = None,
                    None => {
                        self.others.remove(&ActorKey(who));
                    }
                }
            }
            What::Table { stats } => self.table = *stats,
            What::ObserverCost { looks, us, period_us } => {
                self.observer = ObserverView { looks: *looks, us: *us, period_us: *period_us };
            }
            What::PausedAt { point } => {
                if let Some(session) = self.session_mut(who) {
                    session.paused_at = Some(*point);
                }
            }
            What::ResumedAt { .. } => {
                if let Some(session) = self.session_mut(who) {
                    session.paused_at = None;
                }
            }
        }
    }

    fn sent(&mut self, who: Actor, statement: StatementId) {
        let since = self.at;
        if let Some(session) = self.session_mut(who) {
            session.statement = Some(statement);
            session.in_flight = true;
            match statement {
                begin if begin.is_begin() => {
                    session.transaction = Some(Transaction { since, changes: Vec::new() });
                    session.refusal = None;
                }
                StatementId::Commit | StatementId::Rollback => session.ending = true,
                _ => {}
            }
        }
    }

    fn returned(&mut self, who: Actor, statement: StatementId, refusal: Option<&Refusal>) {
        self.counters.statements += 1;
        if let Some(refusal) = refusal {
            *self.counters.refusals.entry(refusal.kind).or_insert(0) += 1;
        }
        // Who has an answer no longer waits; the observer tells the end of the wait, and its length, at its next look.
        self.stop_waiting(who);
        if let Some(session) = self.session_mut(who) {
            session.in_flight = false;
            if let Some(refusal) = refusal {
                session.refusal = Some(refusal.clone());
            }
        }
        // Workers tell what their COMMIT did; for all others the answer says it.
        if statement == StatementId::Commit && who.worker().is_none() && refusal.is_none() {
            self.settle(who);
        }
    }

    fn enqueued(&mut self, first: JobId, count: u32, priorities: &[u32]) {
        let at = self.at;
        self.counters.enqueued += count;
        for n in 0..count {
            if let Some(job) = self.job_mut(JobId(first.0 + n)) {
                job.priority = priorities.get(n as usize).copied().unwrap_or(0);
                job.arrived_at = job.arrived_at.min(at);
            }
        }
    }

    fn poll_answered(&mut self, who: Actor) {
        let at = self.at;
        if let Some(since) = self.worker_mut(who).map(|worker| worker.poll_since) {
            self.counters.poll_latency.add(at.saturating_sub(since));
        }
    }

    fn claimed(&mut self, who: Actor, jobs: &[ClaimedJob], evidence: Evidence) {
        self.poll_answered(who);
        self.counters.claims += 1;
        let at = self.at;
        let skips = !matches!(self.scenario.as_ref().map(|s| s.mode), Some(Mode::ForUpdate | Mode::Nowait));
        let mut hopped: Vec<JobId> = Vec::new();
        for claimed in jobs {
            self.counters.claimed += 1;
            self.change(who, Change::Claim { job: claimed.job, attempt: claimed.attempt });
            self.hold(claimed.job, who, evidence);
            let mut due_at = at;
            if let Some(job) = self.job_mut(claimed.job) {
                job.deliveries = job.deliveries.max(claimed.delivery);
                due_at = job.due_at;
            }
            self.counters.queue_wait.add(at.saturating_sub(due_at));
            for passed in &claimed.passed {
                if !hopped.contains(passed) {
                    hopped.push(*passed);
                }
            }
        }
        for id in &hopped {
            if let Some(job) = self.job_mut(*id) {
                job.passed_over += 1;
            }
        }
        let count = hopped.len() as u32;
        if skips {
            self.counters.skips += count;
        } else {
            self.counters.rechecks += count;
        }
        if let Some(worker) = self.worker_mut(who) {
            worker.hopped = hopped;
        }
    }

    fn work_began(&mut self, who: Actor, id: JobId, delivery: u32, us: u64) {
        let since = self.at;
        self.set_activity(who, Activity::Working { job: id, delivery, since, us });
        let by_priority = self.scenario.as_ref().is_some_and(|s| s.order == Order::PriorityRunAtId);
        let Some(job) = self.job_mut(id) else { return };
        let key = (if by_priority { job.priority } else { 0 }, job.due_at, id);
        if let Some(worker) = who.worker() {
            job.running.push(worker);
        }
        if self.furthest_begun.is_some_and(|furthest| key < furthest) {
            self.counters.inversions += 1;
        } else {
            self.furthest_begun = Some(key);
        }
    }

    fn work_ended(&mut self, who: Actor, id: JobId, ok: bool) {
        self.set_activity(who, Activity::Settling { job: id });
        let Some(job) = self.job_mut(id) else { return };
        job.running.retain(|worker| Some(*worker) != who.worker());
        if ok {
            job.runs += 1;
            let again = job.runs > 1;
            self.counters.worked += 1;
            self.counters.ran_again += u32::from(again);
        } else {
            self.counters.failures += 1;
        }
    }

    /// Whatever a worker was at work on, it no longer is.
    fn stop_running(&mut self, who: Actor) {
        let Some(worker) = who.worker() else { return };
        for job in self.jobs.iter_mut().filter(|job| !job.running.is_empty()) {
            job.running.retain(|one| *one != worker);
        }
    }
}
