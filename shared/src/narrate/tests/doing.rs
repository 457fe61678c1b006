//! What a worker does right now.

use super::*;
use crate::event::PauseReason;

#[track_caller]
fn does(script: &Script, worker: u32, en: &str, ru: &str) {
    let worker = script.world.worker(WorkerId(worker)).expect("there");
    check(&activity(worker, &script.world), en, ru);
}

#[test]
fn a_round_in_a_few_words() {
    let mut s = shop(Shape::ClaimCommit);
    does(&s, 1, "connecting", "подключается");
    s.tell(A, What::PollBegan { poll: 1 });
    does(&s, 1, "polling", "опрашивает очередь");
    s.claim(A, &[17]);
    s.tell(A, What::WorkBegan { job: JobId(17), attempt: 1, delivery: 1, us: 4000 });
    does(&s, 1, "working on row 17 · 0 %", "работает над строкой 17 · 0 %");
    let worker = s.world.worker(WorkerId(1)).unwrap();
    let later = activity_at(worker, &s.world, s.world.at + 1_720);
    check(&later, "working on row 17 · 43 %", "работает над строкой 17 · 43 %");
    s.tell(B, What::WorkBegan { job: JobId(17), attempt: 1, delivery: 2, us: 4000 });
    does(&s, 1, "working on row 17 · 25 %, and so is B", "работает над строкой 17 · 25 %, и B тоже");
    s.tell(A, What::WorkEnded { job: JobId(17), delivery: 1, ok: true });
    does(&s, 1, "reporting on row 17", "отчитывается о строке 17");
    for (reason, en, ru) in [
        (PauseReason::Poll, "asleep until the next poll", "спит до следующего опроса"),
        (PauseReason::Backoff, "backing off", "пауза после ошибки"),
        (PauseReason::Notify, "asleep until notified", "спит до NOTIFY"),
    ] {
        s.tell(A, What::PauseBegan { reason, us: 1 });
        does(&s, 1, en, ru);
    }
    s.tell(A, What::PausedAt { point: Point::BeforeClaim });
    does(&s, 1, "at a breakpoint: before the claim", "на точке останова: до захвата");
    s.tell(A, What::ResumedAt { point: Point::BeforeClaim });
    s.tell(A, What::Crashed { point: Point::InWork, jobs: Vec::new() });
    does(&s, 1, "crashed (in the middle of the work)", "упал (посреди работы)");
    s.tell(B, What::Hung { job: JobId(17) });
    s.tell(Actor::Run, What::RunEnded { reason: EndReason::Stopped, detail: String::new() });
    does(&s, 2, "hangs with row 17", "завис со строкой 17");
    does(&s, 3, "the run is over", "прогон закончен");
}

#[test]
fn a_waiter_knows_its_place() {
    let mut s = Script::new(Scenario { mode: Mode::ForUpdate, ..Scenario::default() });
    s.claim(A, &[17]);
    s.tell(B, wait(Some(17), &[A], 1));
    s.tell(C, wait(Some(17), &[B], 2));
    s.tell(D, wait(None, &[A], 1));
    does(&s, 2, "waits for row 17 · next in line, behind A", "ждёт строку 17 · следующий, впереди A");
    does(&s, 3, "waits for row 17 · place 2 in line, behind B", "ждёт строку 17 · 2-й в очереди, впереди B");
    does(&s, 4, "waits for a lock, behind A", "ждёт блокировку, впереди A");
    s.tell(D, wait(None, &[], 1));
    does(&s, 4, "waits for a lock", "ждёт блокировку");
    // Who was ahead has left the line.
    s.tell(B, What::WaitEnded { us: 5 });
    s.commit(A);
    s.claim(B, &[17]);
    does(&s, 3, "waits for row 17 · next in line, behind B", "ждёт строку 17 · следующий, впереди B");
}
