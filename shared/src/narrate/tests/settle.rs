//! Acks and COMMIT.

use super::*;

#[test]
fn the_word_to_the_database() {
    let mut s = shop(Shape::ClaimCommit);
    is_noise(&s, A, What::Committed);
    s.execute(A, StatementId::Begin);
    is_noise(&s, A, What::Committed);
    is_noise(&s, A, What::RolledBack);
    s.claim(A, &[5]);
    says(
        &s,
        A,
        What::Committed,
        Tone::Quiet,
        "COMMIT: row 5 is processing, owned by A, and no longer locked",
        "COMMIT: строка 5 в processing, её владелец A, блокировки больше нет",
    );
    says(
        &s,
        A,
        What::RolledBack,
        Tone::Quiet,
        "ROLLBACK: A gives row 5 back, as if it had never claimed",
        "ROLLBACK: A отдаёт строку 5, словно и не захватывал",
    );
    s.commit(A);
    s.execute(A, StatementId::Begin);
    is_noise(&s, A, What::Acked { job: JobId(5) });
    says(
        &s,
        D,
        What::Acked { job: JobId(5) },
        Tone::Harm,
        "D acks row 5 although it is no longer D's: nothing stops it",
        "D подтверждает строку 5, хотя она уже не у D: никто не мешает",
    );
    says(
        &s,
        D,
        What::StaleAck { job: JobId(5) },
        Tone::Harm,
        "D's ack changed 0 rows: row 5 is no longer D's",
        "Подтверждение от D изменило 0 строк: строка 5 уже не у D",
    );
    s.execute(D, StatementId::Requeue);
    says(
        &s,
        D,
        What::StaleAck { job: JobId(5) },
        Tone::Harm,
        "D's retry changed 0 rows: row 5 is no longer D's",
        "Повтор от D изменил 0 строк: строка 5 уже не у D",
    );
    says(
        &s,
        A,
        What::Requeued { job: JobId(5), attempt: 1, delay_us: 200_000 },
        Tone::Waiting,
        "A puts row 5 back on the queue, due again in 200 ms",
        "A возвращает строку 5 в очередь; её срок настанет через 200 мс",
    );
    says(
        &s,
        A,
        What::DeadLettered { job: JobId(5), attempt: 3 },
        Tone::Harm,
        "A gives row 5 up after 3 attempts: a dead letter",
        "A списывает строку 5 после 3 попыток: dead letter",
    );
    s.ack(A, 5);
    says(
        &s,
        A,
        What::Committed,
        Tone::Good,
        "COMMIT: row 5 is done, and A lets go of it",
        "COMMIT: строка 5 готова, A её отпускает",
    );
}

#[test]
fn commits_of_each_kind_of_change() {
    let committed = |tell: &[What], tone, en, ru| {
        let mut s = shop(Shape::Hold);
        s.claim(A, &[5, 6]);
        tell.iter().for_each(|what| s.tell(A, what.clone()));
        says(&s, A, What::Committed, tone, en, ru);
    };
    let ack = |id| What::Acked { job: JobId(id) };
    let requeue = |id| What::Requeued { job: JobId(id), attempt: 1, delay_us: 1 };
    let dead = |id| What::DeadLettered { job: JobId(id), attempt: 3 };
    committed(
        &[ack(5), ack(6)],
        Tone::Good,
        "COMMIT: rows 5, 6 are done, and A lets go of them",
        "COMMIT: строки 5, 6 готовы, A их отпускает",
    );
    committed(
        &[requeue(5), requeue(6)],
        Tone::Quiet,
        "COMMIT: rows 5, 6 are on the queue again, and A lets go of them",
        "COMMIT: строки 5, 6 снова в очереди, A их отпускает",
    );
    committed(
        &[dead(5), dead(6)],
        Tone::Quiet,
        "COMMIT: rows 5, 6 are dead letters, and A lets go of them",
        "COMMIT: строки 5, 6 теперь dead letter, A их отпускает",
    );
    committed(&[ack(5), dead(6)], Tone::Quiet, "COMMIT: A lets go of rows 5, 6", "COMMIT: A отпускает строки 5, 6");
    // A woken waiter was quicker to tell.
    let mut s = shop(Shape::Hold);
    s.claim(A, &[1]);
    s.ack(A, 1);
    s.send(A, StatementId::Commit);
    s.claim(B, &[1]);
    says(
        &s,
        A,
        What::Committed,
        Tone::Quiet,
        "COMMIT: A is through; its lock has already passed to the next in line",
        "COMMIT: A закончил; его блокировка уже у следующего в очереди",
    );
}
