//! Claims and errors.

use super::*;

#[test]
fn claims() {
    let mut s = shop(Shape::Hold);
    let jobs = |jobs: Vec<_>| What::Claimed { jobs };
    says(&s, A, jobs(vec![claimed(1, 1, &[])]), Tone::Quiet, "A claimed row 1", "A взял строку 1");
    says(
        &s,
        A,
        jobs(vec![claimed(11, 1, &[9, 7, 8, 10]), claimed(13, 1, &[7, 12])]),
        Tone::Quiet,
        "A claimed rows 11, 13 and hopped over 7–10, 12",
        "A взял строки 11, 13, пропустив 7–10, 12",
    );
    says(
        &s,
        A,
        jobs(vec![claimed(5, 2, &[])]),
        Tone::Quiet,
        "A claimed row 5 (delivery 2)",
        "A взял строку 5 (выдача 2)",
    );
    let empty = |reason| What::ClaimEmpty { reason };
    says(
        &s,
        B,
        empty(EmptyReason::AllLocked),
        Tone::Waiting,
        "B gets 0 rows: jobs are queued (20), and all that are due are locked",
        "B получает 0 строк: в очереди есть задания (20), но все, чей срок настал, заблокированы",
    );
    says(
        &s,
        B,
        empty(EmptyReason::NotYetDue),
        Tone::Quiet,
        "B gets 0 rows: jobs are queued, but none of them is due yet",
        "B получает 0 строк: задания в очереди есть, но срок ещё не настал",
    );
    says(
        &s,
        B,
        empty(EmptyReason::ArrivedAfterSnapshot),
        Tone::Quiet,
        "B gets 0 rows: jobs came after its snapshot was taken",
        "B получает 0 строк: задания пришли уже после его снимка",
    );
    says(&s, B, empty(EmptyReason::QueueEmpty), Tone::Quiet, "B finds the queue empty", "B видит пустую очередь");
    s.tell(B, empty(EmptyReason::QueueEmpty));
    is_noise(&s, B, empty(EmptyReason::QueueEmpty));
    is_noise(&s, B, empty(EmptyReason::Unknown));
    says(
        &s,
        B,
        What::RaceLost { jobs: vec![JobId(5)] },
        Tone::Waiting,
        "B read row 5 as queued, but it no longer was at the UPDATE: 0 rows, a wasted round",
        "B прочитал строку 5 как свободную, но к UPDATE она уже занята: 0 строк, круг потрачен зря",
    );
    let convoy = Script::new(Scenario { mode: Mode::ForUpdate, ..Scenario::default() });
    says(
        &convoy,
        B,
        jobs(vec![claimed(2, 1, &[1])]),
        Tone::Quiet,
        "B claimed row 2; 1 had changed since its snapshot",
        "B взял строку 2; 1 — уже не те, что в его снимке",
    );
}

#[test]
fn a_claim_of_what_another_has_is_harm() {
    let again = || What::Claimed { jobs: vec![claimed(1, 2, &[])] };
    let taken = ("B claimed row 1 although A has it", "B взял строку 1, хотя она у A");
    let done = ("B claimed row 1 although it is done already", "B взял строку 1, хотя она уже сделана");
    // In processing by a committed claim.
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.commit(A);
    says(&s, B, again(), Tone::Harm, taken.0, taken.1);
    // COMMIT of the claim sent, its answer not read yet.
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[1]);
    s.send(A, StatementId::Commit);
    says(&s, B, again(), Tone::Harm, taken.0, taken.1);
    // Done, and its COMMIT not read yet; then read.
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1]);
    s.work(A, 1);
    s.ack(A, 1);
    s.send(A, StatementId::Commit);
    says(&s, B, again(), Tone::Harm, done.0, done.1);
    s.tell(A, What::Committed);
    says(&s, B, again(), Tone::Harm, done.0, done.1);
}

#[test]
fn errors() {
    let refused = |kind| What::Returned { statement: StatementId::Claim, rows: 0, refusal: Some(refusal(kind)) };
    let mut s = Script::new(Scenario { mode: Mode::Nowait, ..Scenario::default() });
    says(
        &s,
        C,
        refused(RefusalKind::Nowait),
        Tone::Waiting,
        "NOWAIT: the next row is locked, C gets 55P03 at once and rolls back",
        "NOWAIT: следующая строка заблокирована, C сразу получает 55P03 и откатывается",
    );
    s.claim(A, &[1]);
    says(
        &s,
        C,
        refused(RefusalKind::Nowait),
        Tone::Waiting,
        "NOWAIT: row 1 is locked, C gets 55P03 at once and rolls back",
        "NOWAIT: строка 1 заблокирована, C сразу получает 55P03 и откатывается",
    );
    says(
        &s,
        C,
        refused(RefusalKind::LockTimeout),
        Tone::Waiting,
        "lock_timeout: C gives up waiting for a lock (55P03) and rolls back",
        "lock_timeout: C не дождался блокировки (55P03) и откатывается",
    );
    s.tell(C, wait(Some(1), &[A], 1));
    says(
        &s,
        C,
        refused(RefusalKind::LockTimeout),
        Tone::Waiting,
        "lock_timeout: C gives up waiting for row 1 (55P03) and rolls back",
        "lock_timeout: C не дождался строки 1 (55P03) и откатывается",
    );
    says(
        &s,
        C,
        refused(RefusalKind::Serialization),
        Tone::Waiting,
        "C gets 40001: what it read has changed since its snapshot; it rolls back",
        "C получает 40001: прочитанное изменилось после снимка; откат",
    );
    says(
        &s,
        C,
        refused(RefusalKind::Deadlock),
        Tone::Harm,
        "Deadlock: the server picks C as the victim (40P01), and it rolls back",
        "Взаимоблокировка: жертвой сервер выбирает C (40P01), откат",
    );
    says(
        &s,
        C,
        refused(RefusalKind::Cancelled),
        Tone::Harm,
        "The statement of C was cancelled (57014)",
        "C: запрос отменён (57014)",
    );
    says(
        &s,
        Actor::Reaper,
        refused(RefusalKind::Other),
        Tone::Harm,
        "The reaper met an error of the database: no such thing",
        "Спасатель: ошибка базы данных: no such thing",
    );
    is_noise(&s, C, refused(RefusalKind::IdleInTransaction));
}
