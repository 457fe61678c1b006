//! Waits, the line, strangers.

use super::*;

#[test]
fn waits_and_the_line() {
    let mut s = Script::new(Scenario { mode: Mode::ForUpdate, workers: 8, ..Scenario::default() });
    says(&s, B, wait(Some(1), &[], 1), Tone::Waiting, "B waits for row 1", "B ждёт строку 1");
    s.claim(A, &[1]);
    says(&s, C, wait(Some(1), &[A], 1), Tone::Waiting, "C wants row 1; A holds it", "C хочет строку 1; её держит A");
    s.tell(C, wait(Some(1), &[A], 1));
    says(
        &s,
        B,
        wait(Some(1), &[C], 2),
        Tone::Waiting,
        "B wants row 1; A holds it, C is ahead in the queue",
        "B хочет строку 1; её держит A, впереди в очереди C",
    );
    s.tell(B, wait(Some(1), &[C], 2));
    says(
        &s,
        Actor::Reaper,
        wait(Some(1), &[C, B], 3),
        Tone::Waiting,
        "The reaper wants row 1; A holds it, C and B are ahead in the queue",
        "Спасатель хочет строку 1; её держит A, впереди в очереди C и B",
    );
    s.tell(Actor::Reaper, wait(Some(1), &[C, B], 3));
    says(
        &s,
        D,
        wait(Some(1), &[C], 4),
        Tone::Waiting,
        "D wants row 1; A holds it, C, B and the reaper are ahead in the queue",
        "D хочет строку 1; её держит A, впереди в очереди C, B и спасатель",
    );
    s.tell(D, wait(Some(1), &[C], 4));
    let moved = |place| What::WaitMoved {
        wait: WaitFor::TransactionId,
        blocked_by: vec![A],
        place,
        lock: LockRow {
            locktype: "transactionid".into(),
            mode: "ShareLock".into(),
            granted: false,
            relation: None,
            tuple: None,
            transactionid: Some("731".into()),
        },
    };
    says(&s, B, moved(1), Tone::Quiet, "B is now first in line for row 1", "B теперь первый в очереди за строкой 1");
    is_noise(&s, D, moved(3));
    for (n, place) in [(5, 5), (6, 6)] {
        s.tell(Actor::Worker(WorkerId(n)), wait(Some(1), &[C], place));
    }
    says(
        &s,
        Actor::Worker(WorkerId(7)),
        wait(Some(1), &[C], 7),
        Tone::Waiting,
        "G wants row 1; A holds it, C, B, reaper, D, E … (6) are ahead in the queue",
        "G хочет строку 1; её держит A, впереди в очереди C, B, reaper, D, E … (6)",
    );
    // A stranger whose lock nobody has told: pg_blocking_pids names it.
    says(
        &s,
        B,
        wait(Some(3), &[Actor::Stranger { pid: 4711 }], 1),
        Tone::Waiting,
        "B wants row 3; a stranger (pid 4711) holds it",
        "B хочет строку 3; её держит чужой сеанс (pid 4711)",
    );
    says(&s, C, What::WaitEnded { us: 1_600_000 }, Tone::Waiting, "C waited 1.6 s for row 1", "C ждал строку 1 1,6 с");
    says(&s, A, What::WaitEnded { us: 43_000 }, Tone::Waiting, "A waited 43 ms for a lock", "A ждал блокировку 43 мс");
}

#[test]
fn waits_for_other_locks_and_strangers() {
    let s = shop(Shape::Hold);
    let lock = LockRow {
        locktype: "relation".into(),
        mode: "AccessExclusiveLock".into(),
        granted: false,
        relation: Some("jobs".into()),
        tuple: None,
        transactionid: None,
    };
    let wait = |wait, blocked_by: &[Actor]| What::WaitBegan {
        wait,
        job: None,
        blocked_by: blocked_by.to_vec(),
        place: 1,
        since: 0,
        lock: lock.clone(),
    };
    let stranger = Actor::Stranger { pid: 4711 };
    says(
        &s,
        B,
        wait(WaitFor::Relation, &[A]),
        Tone::Waiting,
        "B waits for a table lock; A is in the way",
        "B ждёт блокировку таблицы; мешает A",
    );
    says(
        &s,
        B,
        wait(WaitFor::Advisory, &[A]),
        Tone::Waiting,
        "B waits for an advisory lock; A is in the way",
        "B ждёт рекомендательную блокировку; мешает A",
    );
    says(
        &s,
        stranger,
        wait(WaitFor::Other, &[A]),
        Tone::Waiting,
        "A stranger (pid 4711) waits for a lock (relation AccessExclusiveLock jobs); A is in the way",
        "Чужой сеанс (pid 4711) ждёт блокировку (relation AccessExclusiveLock jobs); мешает A",
    );
    says(
        &s,
        B,
        wait(WaitFor::Other, &[]),
        Tone::Waiting,
        "B waits for a lock (relation AccessExclusiveLock jobs)",
        "B ждёт блокировку (relation AccessExclusiveLock jobs)",
    );
    let locked = || What::RowLocked { job: JobId(3), modes: vec!["For Update".into()], xid: "9".into() };
    says(
        &s,
        stranger,
        locked(),
        Tone::Quiet,
        "A stranger (pid 4711) holds row 3 (For Update)",
        "Чужой сеанс (pid 4711) держит строку 3 (For Update)",
    );
    is_noise(&s, A, locked());
    says(
        &s,
        stranger,
        What::RowReleased { job: JobId(3) },
        Tone::Quiet,
        "A stranger (pid 4711) no longer holds row 3",
        "Чужой сеанс (pid 4711) больше не держит строку 3",
    );
    says(
        &s,
        stranger,
        What::Connected { pid: 4711 },
        Tone::Quiet,
        "A stranger (pid 4711) joins",
        "Чужой сеанс (pid 4711) подключился",
    );
    is_noise(&s, A, What::Connected { pid: 4711 });
}

#[test]
fn backends_that_are_none_of_the_run_s() {
    let mut s = shop(Shape::Hold);
    let stranger = Actor::Stranger { pid: 4711 };
    let seen = |orphan_of| What::BackendSeen {
        orphan_of,
        application: "psql".into(),
        state: "active".into(),
        query: "UPDATE jobs".into(),
    };
    says(
        &s,
        stranger,
        seen(None),
        Tone::Quiet,
        "A stranger (pid 4711) is none of the run's sessions: active",
        "Чужой сеанс (pid 4711) не из этого прогона: active",
    );
    is_noise(&s, stranger, What::BackendGone);
    says(
        &s,
        stranger,
        seen(Some(WorkerId(2))),
        Tone::Waiting,
        "A stranger (pid 4711) is what the crash of B left on the server: active; it does not know that its client is gone",
        "Чужой сеанс (pid 4711) остался на сервере после падения B: active; он не знает, что клиента больше нет",
    );
    s.tell(stranger, seen(Some(WorkerId(2))));
    is_noise(&s, stranger, seen(Some(WorkerId(2))));
    says(
        &s,
        stranger,
        What::BackendGone,
        Tone::Good,
        "A stranger (pid 4711), left behind by B, is gone, and its locks with it",
        "Чужой сеанс (pid 4711), оставшийся от B, исчез, и его блокировки вместе с ним",
    );
}
