//! Every kind of sentence in both languages, told from small runs.

mod claims;
mod doing;
mod fates;
mod parts;
mod settle;
mod waits;

use super::*;
use crate::event::{Cause, EmptyReason, LockRow, RefusalKind, TableStats, WaitFor};
use crate::ids::{JobId, WorkerId};
use crate::program::Point;
use crate::scenario::{Mode, Shape};
use crate::script::{A, B, C, D, Script, claimed, refusal, wait};
use crate::sql::StatementId;
use crate::text::Lang;

fn shop(shape: Shape) -> Script {
    Script::new(Scenario { shape, ..Scenario::default() })
}

/// What is said of an event that comes next; it is not folded in.
#[track_caller]
fn says(script: &Script, who: Actor, what: What, tone: Tone, en: &str, ru: &str) {
    let line = line(&script.next(who, what), &script.world).expect("worth a sentence");
    check(&line.message, en, ru);
    assert_eq!(line.tone, tone, "{en}");
}

#[track_caller]
fn check(message: &Message, en: &str, ru: &str) {
    for (lang, wanted) in [(Lang::En, en), (Lang::Ru, ru)] {
        let said = message.say(lang);
        assert!(!said.contains(['{', '$']) && !said.contains("Unknown localization"), "{said}");
        assert_eq!(said, wanted);
    }
}

#[track_caller]
fn is_noise(script: &Script, who: Actor, what: What) {
    assert_eq!(sentence(&script.next(who, what), &script.world), None);
}

#[test]
fn the_run_begins_and_ends() {
    let s = shop(Shape::Hold);
    let scenario = Box::new(Scenario { workers: 1, jobs: 22, ..Scenario::default() });
    says(
        &s,
        Actor::Run,
        What::RunBegan { scenario, engine: "PostgreSQL 15.18".into() },
        Tone::Quiet,
        "The run begins on PostgreSQL 15.18: 1 worker, 22 jobs, FOR UPDATE SKIP LOCKED",
        "Прогон начался на PostgreSQL 15.18: 1 воркер, 22 задания, FOR UPDATE SKIP LOCKED",
    );
    says(
        &s,
        Actor::Run,
        What::RunEnded { reason: EndReason::Quiescent, detail: String::new() },
        Tone::Good,
        "The run is over after 3 ms. Nothing can change any more.",
        "Прогон закончен через 3 мс. Больше ничего измениться не может.",
    );
    says(
        &s,
        Actor::Run,
        What::RunEnded { reason: EndReason::DatabaseLost, detail: "connection reset".into() },
        Tone::Harm,
        "The run is over after 3 ms. The database went away. connection reset",
        "Прогон закончен через 3 мс. База данных пропала. connection reset",
    );
    let some = What::Enqueued { first: JobId(21), count: 3, priorities: Vec::new() };
    says(
        &s,
        Actor::Producer,
        some,
        Tone::Quiet,
        "The producer puts 3 jobs on the queue: 21–23",
        "Поставщик кладёт в очередь 3 задания: 21–23",
    );
    let one = What::Enqueued { first: JobId(21), count: 1, priorities: Vec::new() };
    says(
        &s,
        Actor::Producer,
        one,
        Tone::Quiet,
        "The producer puts job 21 on the queue",
        "Поставщик кладёт в очередь задание 21",
    );
}

#[test]
fn leases_vacuum_breakpoints_and_noise() {
    let s = shop(Shape::ClaimCommit);
    let beat = |ids: &[u32]| What::Heartbeat { jobs: ids.iter().copied().map(JobId).collect() };
    says(
        &s,
        Actor::Heartbeat,
        beat(&[5, 7, 6]),
        Tone::Quiet,
        "Heartbeat: the lease of rows 5–7 begins anew",
        "Сигнал жизни: аренда строк 5–7 отсчитывается заново",
    );
    let stats = |vacuums| What::Table { stats: TableStats { dead: 3, vacuums, ..TableStats::default() } };
    says(
        &s,
        Actor::Observer,
        stats(1),
        Tone::Good,
        "VACUUM went through the table; dead tuples: 0 before, 3 after (an estimate)",
        "VACUUM прошёл по таблице; мёртвых кортежей было 0, стало 3 (оценка)",
    );
    says(
        &s,
        A,
        What::PausedAt { point: Point::AfterClaim },
        Tone::Waiting,
        "A stands at a breakpoint: after the claim, before its COMMIT",
        "A стоит на точке останова: после захвата, до его COMMIT",
    );
    says(&s, A, What::ResumedAt { point: Point::AfterClaim }, Tone::Quiet, "A goes on", "A идёт дальше");
    says(
        &s,
        Actor::Observer,
        What::Notice { message: Message::new("notice-clock").with("us", 80u32) },
        Tone::Quiet,
        "The server's times are mapped to the run's clock to within 80 µs.",
        "Время сервера сведено к часам прогона с точностью до 80 мкс.",
    );
    is_noise(&s, Actor::Heartbeat, beat(&[]));
    is_noise(&s, Actor::Observer, stats(0));
    is_noise(&s, Actor::Observer, What::ObserverCost { looks: 1, us: 1, period_us: 1 });
    is_noise(&s, A, What::Sent { statement: StatementId::Claim });
    is_noise(&s, A, What::Returned { statement: StatementId::Claim, rows: 1, refusal: None });
    is_noise(&s, A, What::PollBegan { poll: 1 });
    is_noise(&s, A, What::PauseBegan { reason: crate::event::PauseReason::Poll, us: 1 });
}
