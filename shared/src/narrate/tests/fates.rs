//! Work, effects, crashes, hangs, rescue.

use super::*;

#[test]
fn work_and_effects() {
    let mut s = shop(Shape::ClaimCommit);
    s.claim(A, &[7]);
    let began = |us| What::WorkBegan { job: JobId(7), attempt: 1, delivery: 1, us };
    says(&s, A, began(800_000), Tone::Quiet, "A works on row 7 for 800 ms", "A работает над строкой 7, это 800 мс");
    is_noise(&s, A, began(0));
    s.tell(A, began(800_000));
    says(
        &s,
        D,
        began(2_000_000),
        Tone::Harm,
        "D works on row 7 for 2 s, and so does A",
        "D работает над строкой 7 (2 с), и A тоже",
    );
    let ended = |ok| What::WorkEnded { job: JobId(7), delivery: 1, ok };
    says(&s, A, ended(false), Tone::Harm, "A fails on row 7", "A не справился со строкой 7");
    is_noise(&s, A, ended(true));
    let effect = |effect: &str, repeats| What::Effect { job: JobId(7), effect: effect.into(), delivery: 2, repeats };
    let first = Some(Cause { worker: WorkerId(1), delivery: 1 });
    says(
        &s,
        A,
        effect("mail", None),
        Tone::Quiet,
        "The customer of order 7 gets a mail, from A",
        "Покупатель заказа 7 получает письмо (сделал A)",
    );
    s.tell(A, effect("mail", None));
    says(
        &s,
        D,
        effect("mail", first),
        Tone::Harm,
        "The customer of order 7 gets a second mail: A and D both did the job",
        "Покупатель заказа 7 получает второе письмо: задание сделали и A, и D",
    );
    s.tell(D, effect("mail", first));
    says(
        &s,
        A,
        effect("mail", first),
        Tone::Harm,
        "The customer of order 7 gets a third mail: A did the job more than once",
        "Покупатель заказа 7 получает третье письмо: A сделал задание не один раз",
    );
    s.tell(A, effect("analytics", None));
    says(
        &s,
        D,
        effect("analytics", first),
        Tone::Harm,
        "Order 7 is counted twice: A and D both did the job",
        "Заказ 7 учтён дважды: задание сделали и A, и D",
    );
    says(
        &s,
        D,
        What::EffectSuppressed { job: JobId(7), effect: "mail".into(), delivery: 2 },
        Tone::Good,
        "The idempotency key of order 7 stops D: no second mail",
        "Ключ идемпотентности заказа 7 останавливает D: второго письма не будет",
    );
    let mut silent = Script::new(Scenario { effects: 0, ..Scenario::default() });
    silent.work(A, 7);
    says(
        &silent,
        D,
        ended(true),
        Tone::Harm,
        "D did the work of row 7 once more: it had been done before",
        "D ещё раз сделал работу строки 7: она уже была сделана",
    );
}

#[test]
fn crashes_hangs_and_rescue() {
    let crash = || What::Crashed { point: Point::InWork, jobs: vec![JobId(5)] };
    let mut s = shop(Shape::Hold);
    s.claim(A, &[5]);
    says(
        &s,
        A,
        crash(),
        Tone::Harm,
        "A crashes (in the middle of the work); the server rolls back, row 5 is free again",
        "A упал (посреди работы); сервер откатывает транзакцию, строка 5 снова свободна",
    );
    says(
        &s,
        A,
        What::Hung { job: JobId(5) },
        Tone::Harm,
        "A hangs with row 5 in its open transaction: the lock stays",
        "A завис в открытой транзакции со строкой 5: блокировка остаётся",
    );
    let lost = |kind| What::SessionLost { refusal: refusal(kind) };
    says(
        &s,
        A,
        lost(RefusalKind::IdleInTransaction),
        Tone::Harm,
        "The session of A is gone (idle in transaction for too long, session ended (25P03)); \
         the server rolls back and frees row 5",
        "A: сеанс потерян (слишком долго молчал в транзакции, сеанс закрыт (25P03)); \
         сервер откатывает транзакцию и освобождает строку 5",
    );
    says(
        &s,
        B,
        lost(RefusalKind::ConnectionLost),
        Tone::Harm,
        "The session of B is gone: connection lost",
        "B: сеанс потерян — соединение потеряно",
    );
    s.send(B, StatementId::Claim);
    says(
        &s,
        B,
        What::Crashed { point: Point::Anywhere, jobs: Vec::new() },
        Tone::Harm,
        "B crashes (wherever it was); its statement runs on at the server without it",
        "B упал (там, где был); его запрос на сервере выполняется дальше без него",
    );
    says(
        &s,
        C,
        What::Crashed { point: Point::BeforeClaim, jobs: Vec::new() },
        Tone::Harm,
        "C crashes (before the claim)",
        "C упал (до захвата)",
    );
    says(&s, C, What::Restarted, Tone::Good, "C is back", "C снова в строю");

    let mut s = shop(Shape::ClaimCommit);
    s.claim(B, &[5]);
    s.commit(B);
    says(
        &s,
        B,
        crash(),
        Tone::Harm,
        "B crashes (in the middle of the work); row 5 stays in processing, and there is no reaper",
        "B упал (посреди работы); строка 5 остаётся в processing, а спасателя нет",
    );
    says(
        &s,
        B,
        What::Hung { job: JobId(5) },
        Tone::Harm,
        "B hangs with row 5, which stays in processing",
        "B завис со строкой 5, она остаётся в processing",
    );
    let reaped = |owner, dead| What::Reaped { job: JobId(5), owner, attempt: 3, age_us: 3_200_000, dead };
    let owner = Some(WorkerId(2));
    says(
        &s,
        Actor::Reaper,
        reaped(owner, false),
        Tone::Good,
        "The reaper takes row 5 back from B after 3.2 s",
        "Спасатель забирает строку 5 у B через 3,2 с",
    );
    says(
        &s,
        Actor::Reaper,
        reaped(None, false),
        Tone::Good,
        "The reaper takes row 5 back after 3.2 s",
        "Спасатель забирает строку 5 через 3,2 с",
    );
    says(
        &s,
        Actor::Reaper,
        reaped(owner, true),
        Tone::Harm,
        "The reaper gives row 5 up after 3 attempts: a dead letter",
        "Спасатель списывает строку 5 после 3 попыток: dead letter",
    );
    s.tell(B, What::WorkBegan { job: JobId(5), attempt: 1, delivery: 1, us: 9_000_000 });
    says(
        &s,
        Actor::Reaper,
        reaped(owner, false),
        Tone::Harm,
        "The reaper takes row 5 back from B after 3.2 s, and B is still at work on it",
        "Спасатель забирает строку 5 у B через 3,2 с, а B ещё работает над ней",
    );
    let mut s = Script::new(Scenario { shape: Shape::ClaimCommit, reaper: true, ..Scenario::default() });
    s.claim(B, &[5]);
    s.commit(B);
    says(
        &s,
        B,
        crash(),
        Tone::Harm,
        "B crashes (in the middle of the work); row 5 stays in processing until the reaper comes",
        "B упал (посреди работы); строка 5 остаётся в processing, пока не придёт спасатель",
    );
}
