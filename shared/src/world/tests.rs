//! The fold: what a picture must never show.

mod streams;

use super::*;
use crate::event::{Cause, Event, Evidence, PauseReason, RefusalKind, What};
use crate::program::Point;
use crate::scenario::{Mode, Shape};
use crate::script::{A, B, C, D, Script, claimed, refusal, wait};
use crate::sql::StatementId;

fn shop(shape: Shape) -> Script {
    Script::new(Scenario { shape, ..Scenario::default() })
}

impl Script {
    fn job(&self, id: u32) -> &JobView {
        self.world.job(JobId(id)).expect("a job of the run")
    }

    fn holder(&self, id: u32) -> Option<Actor> {
        self.job(id).holder.as_ref().map(|holder| holder.who)
    }
}

#[test]
fn a_claim_is_its_sender_s_alone_until_commit() {
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    assert_eq!((s.job(1).state, s.job(1).attempts, s.holder(1)), (JobState::Queued, 0, Some(A)));
    assert!(!s.job(1).is_free(s.world.at) && s.job(2).is_free(s.world.at));
    s.commit(A);
    assert_eq!((s.job(1).state, s.job(1).attempts, s.holder(1)), (JobState::Processing, 1, None));
    assert_eq!(s.job(1).owner, Some(WorkerId(1)));
    assert_eq!((s.world.count(JobState::Queued), s.world.count(JobState::Processing)), (19, 1));
}

#[test]
fn a_woken_waiter_may_tell_first() {
    // Work in the transaction: the holder's ack counts from its COMMIT sent on.
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1]);
    s.work(A, 1);
    s.ack(A, 1);
    s.send(A, StatementId::Commit);
    s.claim(B, &[1]);
    assert_eq!((s.job(1).state, s.holder(1), s.world.counters.two_holders), (JobState::Done, Some(B), 0));
    s.tell(A, What::Returned { statement: StatementId::Commit, rows: 0, refusal: None });
    s.tell(A, What::Committed);
    let c = &s.world.counters;
    assert_eq!((c.acks, c.commits, c.two_holders, s.holder(1)), (1, 1, 0, Some(B)));
    // Work after COMMIT: the holder's claim counts.
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.send(A, StatementId::Commit);
    s.claim(B, &[1]);
    assert_eq!((s.job(1).state, s.job(1).owner), (JobState::Processing, Some(WorkerId(1))));
    s.tell(A, What::Committed);
    assert_eq!((s.holder(1), s.world.counters.two_holders), (Some(B), 0));
}

#[test]
fn a_rollback_on_its_way_leaves_no_change_behind() {
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1]);
    s.send(A, StatementId::Rollback);
    s.claim(B, &[1]);
    assert_eq!((s.job(1).state, s.job(1).owner, s.world.counters.two_holders), (JobState::Queued, None, 0));
    s.tell(A, What::RolledBack);
    assert_eq!(s.holder(1), Some(B));
}

#[test]
fn two_holders_are_counted_when_nothing_explains_them() {
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1]);
    s.claim(B, &[1]);
    assert_eq!(s.world.counters.two_holders, 1);
}

#[test]
fn the_server_may_end_a_hung_session_without_its_knowing() {
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1, 2]);
    s.tell(A, What::Hung { job: JobId(1) });
    s.claim(B, &[1]);
    assert_eq!((s.world.counters.two_holders, s.holder(1), s.holder(2)), (0, Some(B), None));
    assert_eq!(s.world.session(A).expect("A's").transaction, None);
}

#[test]
fn a_crash_drops_locks_and_changes() {
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1, 2]);
    s.tell(A, What::WorkBegan { job: JobId(1), attempt: 1, delivery: 1, us: 9000 });
    s.ack(A, 1);
    s.tell(A, What::Crashed { point: Point::AfterAck, jobs: vec![JobId(1), JobId(2)] });
    assert_eq!((s.job(1).state, s.holder(1), s.holder(2)), (JobState::Queued, None, None));
    assert!(s.job(1).running.is_empty() && s.world.counters.acks == 0);
    let worker = s.world.worker(WorkerId(1)).expect("there");
    assert_eq!(worker.activity, Activity::Crashed { point: Point::AfterAck });
    assert_eq!(worker.session, SessionView::default());
    // Committed as processing, it stays so.
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.commit(A);
    s.tell(A, What::Crashed { point: Point::InWork, jobs: vec![JobId(1)] });
    assert_eq!((s.job(1).state, s.job(1).owner), (JobState::Processing, Some(WorkerId(1))));
}

#[test]
fn a_lost_session_drops_locks_and_changes() {
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1]);
    s.tell(A, What::SessionLost { refusal: refusal(RefusalKind::IdleInTransaction) });
    let session = s.world.session(A).expect("A's");
    assert_eq!((s.job(1).state, s.holder(1), &session.transaction), (JobState::Queued, None, &None));
    assert_eq!(session.refusal.as_ref().map(|refusal| refusal.kind), Some(RefusalKind::IdleInTransaction));
}

#[test]
fn a_naive_duplicate_is_done_twice() {
    let mut s = Script::new(Scenario { mode: Mode::Naive, shape: Shape::ClaimCommit, ..Scenario::default() });
    s.claim(A, &[1]);
    s.send(A, StatementId::Commit);
    s.execute(B, StatementId::Begin);
    s.tell(B, What::Claimed { jobs: vec![claimed(1, 2, &[])] });
    s.tell(A, What::Committed);
    s.commit(B);
    let first = Cause { worker: WorkerId(1), delivery: 1 };
    for (who, delivery, repeats) in [(A, 1, None), (B, 2, Some(first))] {
        s.work(who, 1);
        s.tell(who, What::Effect { job: JobId(1), effect: "mail".into(), delivery, repeats });
        s.execute(who, StatementId::Begin);
        s.ack(who, 1);
        s.commit(who);
    }
    let (job, c) = (s.job(1), &s.world.counters);
    assert_eq!((job.state, job.attempts, job.deliveries, job.runs), (JobState::Done, 2, 2, 2));
    assert_eq!((job.effects, job.duplicates), (2, 1));
    assert_eq!((c.acks, c.effects, c.duplicates, c.ran_again, c.two_holders), (2, 2, 1, 1, 0));
    assert_eq!((s.world.count(JobState::Done), s.world.effects.len()), (1, 2));
}

#[test]
fn the_reaper_brings_back_and_gives_up() {
    let reaped =
        |attempt, dead| What::Reaped { job: JobId(1), owner: Some(WorkerId(1)), attempt, age_us: 3_200_000, dead };
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.commit(A);
    s.tell(Actor::Reaper, reaped(1, false));
    let job = s.job(1);
    assert_eq!((job.state, job.owner, job.reaped, job.queued_at), (JobState::Queued, None, 1, s.world.at));
    // The claim's COMMIT was read after the reaper's answer.
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.send(A, StatementId::Commit);
    s.tell(Actor::Reaper, reaped(1, true));
    s.tell(A, What::Committed);
    assert_eq!((s.job(1).state, s.world.counters.dead_letters), (JobState::Failed, 1));
    // The next claim was read before the reaper's answer.
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.commit(A);
    s.execute(B, StatementId::Begin);
    s.tell(B, What::Claimed { jobs: vec![claimed(1, 2, &[])] });
    s.commit(B);
    s.tell(Actor::Reaper, reaped(1, false));
    let job = s.job(1);
    assert_eq!((job.state, job.owner, job.reaped), (JobState::Processing, Some(WorkerId(2)), 1));
}

#[test]
fn a_stale_ack_changes_nothing() {
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.commit(A);
    s.execute(D, StatementId::Begin);
    s.tell(D, What::StaleAck { job: JobId(1) });
    s.commit(D);
    assert_eq!((s.job(1).state, s.world.counters.stale_acks, s.world.counters.acks), (JobState::Processing, 1, 0));
}

#[test]
fn retries_wait_for_their_time_and_end_as_dead_letters() {
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.commit(A);
    s.execute(A, StatementId::Begin);
    s.tell(A, What::Requeued { job: JobId(1), attempt: 1, delay_us: 200_000 });
    let due_at = s.world.at + 200_000;
    s.commit(A);
    let job = s.job(1);
    assert_eq!((job.state, job.due_at, job.owner), (JobState::Queued, due_at, None));
    assert!(!job.is_free(s.world.at) && job.is_free(due_at));
    s.claim(B, &[1]);
    s.tell(B, What::DeadLettered { job: JobId(1), attempt: 3 });
    s.commit(B);
    assert_eq!((s.job(1).state, s.world.counters.retries, s.world.counters.dead_letters), (JobState::Failed, 1, 1));
}

#[test]
fn the_line_of_a_row_has_its_places() {
    let mut s = Script::new(Scenario { mode: Mode::ForUpdate, ..Scenario::default() });
    let stranger = Actor::Stranger { pid: 7 };
    s.claim(A, &[1]);
    for who in [B, C, D] {
        s.send(who, StatementId::Claim);
    }
    s.tell(B, wait(Some(1), &[A], 1));
    s.tell(D, wait(Some(1), &[B], 2));
    s.tell(C, wait(Some(1), &[B], 2));
    s.tell(stranger, wait(Some(1), &[B], 9));
    assert_eq!(s.job(1).queue, [B, C, D, stranger]);
    assert_eq!(s.world.waiting(), 3);
    // Its place changed: it does not stand there twice.
    s.tell(D, What::WaitEnded { us: 10 });
    s.tell(D, wait(Some(1), &[B], 2));
    assert_eq!(s.job(1).queue, [B, D, C, stranger]);
    // The first is through: out of the line with its answer, whenever the observer looks.
    s.send(A, StatementId::Commit);
    s.tell(B, What::Returned { statement: StatementId::Claim, rows: 1, refusal: None });
    s.tell(B, What::Claimed { jobs: vec![claimed(2, 1, &[1])] });
    assert_eq!(
        (s.job(1).queue.as_slice(), &s.world.session(B).expect("B's").wait),
        ([D, C, stranger].as_slice(), &None)
    );
    s.tell(B, What::WaitEnded { us: 500 });
    assert_eq!((s.world.counters.waits, s.world.counters.waited_us), (5, 510));
    assert_eq!((s.world.counters.rechecks, s.world.counters.skips), (1, 0));
    // A wait that was seen before the answer and told after it.
    s.tell(B, wait(Some(1), &[A], 1));
    assert_eq!(s.job(1).queue, [D, C, stranger]);
    s.tell(D, What::Crashed { point: Point::Anywhere, jobs: Vec::new() });
    assert_eq!(s.job(1).queue, [C, stranger]);
}

#[test]
fn an_observation_never_overrides_what_is_told() {
    let seen = |id| What::RowLocked { job: JobId(id), modes: vec!["For Update".into()], xid: "9".into() };
    let mut s = shop(Shape::Hold);
    let stranger = Actor::Stranger { pid: 7 };
    s.tell(stranger, seen(3));
    assert_eq!(s.holder(3), Some(stranger));
    s.claim(A, &[1]);
    let since = s.job(1).holder.as_ref().expect("held").since;
    s.tell(A, seen(1));
    let holder = s.job(1).holder.clone().expect("held");
    assert_eq!((holder.since, holder.evidence, holder.modes.len()), (since, Evidence::Executed, 1));
    s.tell(B, seen(1));
    s.tell(A, What::RowReleased { job: JobId(1) });
    assert_eq!(s.holder(1), Some(A));
    // Seen before the COMMIT, told after it.
    s.commit(A);
    s.tell(A, seen(1));
    assert_eq!(s.holder(1), None);
    // The stranger let go since the look.
    s.claim(B, &[3]);
    assert_eq!((s.holder(3), s.world.counters.two_holders), (Some(B), 0));
    s.tell(stranger, What::RowReleased { job: JobId(3) });
    assert_eq!(s.holder(3), Some(B));
}

#[test]
fn counters_and_busy_time() {
    let mut s = shop(Shape::Hold);
    s.tell(A, What::PollBegan { poll: 1 });
    s.execute(A, StatementId::Begin);
    s.tell(A, What::Claimed { jobs: vec![claimed(3, 1, &[1, 2])] });
    assert_eq!((s.world.counters.skips, s.job(1).passed_over), (2, 1));
    assert_eq!(s.world.worker(WorkerId(1)).expect("there").hopped, [JobId(1), JobId(2)]);
    s.tell(A, What::WorkBegan { job: JobId(3), attempt: 1, delivery: 1, us: 5000 });
    s.tell(B, What::WorkBegan { job: JobId(1), attempt: 1, delivery: 1, us: 5000 });
    assert_eq!(s.world.counters.inversions, 1);
    s.tell(A, What::WorkEnded { job: JobId(3), delivery: 1, ok: true });
    s.tell(A, What::PauseBegan { reason: PauseReason::Poll, us: 5 });
    assert_eq!(s.world.counters.busy_us, 2000);
    s.tell(Actor::Run, What::RunEnded { reason: EndReason::Stopped, detail: String::new() });
    assert_eq!(s.world.counters.busy_us, 2000 + 3000, "B was at work until the end");
    let summary = s.world.summary();
    assert_eq!((summary.ended, summary.skips, summary.queued), (Some(EndReason::Stopped), Some(2), 20));
    assert!(!s.world.is_running());
}
