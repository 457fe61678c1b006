//! Advisory keys and NOTIFY channels belong to the database, not to a schema: two runs stay apart because the run's number
//! is in both.

use super::hand::Table;
use crate::server::start;
use rowlock_shared::event::What;
use rowlock_shared::ids::JobId;
use rowlock_shared::program::{Point, Value};
use rowlock_shared::scenario::{Arrival, Mode, Scenario, WakeUp};
use rowlock_shared::sql::{StatementId, text};
use rowlock_shared::wire::Intervention;

#[tokio::test]
async fn an_advisory_key_is_the_database_s_and_not_the_schema_s() {
    let table = Table::new(Scenario { mode: Mode::Advisory, ..Scenario::default() }, 1).await;
    let neighbour = table.neighbour(1).await;
    let claim = text(StatementId::ClaimAdvisory, &table.scenario);
    let args = |run: i64| [Value::Text("worker-A".into()), Value::Int(run)];
    let (mut here, mut there) = (table.hand().await, neighbour.hand().await);
    // A number far above any run's, so that no run of another test has it.
    let number = 2_000_000_000 + i64::from(here.pid);
    here.tell("BEGIN").await;
    assert_eq!(here.ask(&claim, &args(number)).await.expect("claims").ids(), [1]);
    assert_eq!(
        there.ask(&claim, &args(number)).await.expect("no error").ids(),
        Vec::<i64>::new(),
        "same key, other table"
    );
    assert_eq!(there.ask(&claim, &args(number + 1)).await.expect("claims").ids(), [1]);
    here.tell("ROLLBACK").await;
}

#[tokio::test]
async fn two_runs_with_the_same_job_ids_do_not_disturb_each_other_s_advisory_claims() {
    let scenario = Scenario { mode: Mode::Advisory, jobs: 3, workers: 1, work_ms: 0, ..Scenario::default() };
    let mut runs = [start(scenario.clone()).await, start(scenario).await];
    for going in &runs {
        going.run.intervene(Intervention::Break { worker: None, point: Point::InWork });
    }
    for going in &mut runs {
        // Both stand in their claims' transactions at the same time.
        going.until("the claim of job 1", |_, event| matches!(event.what, What::PausedAt { .. })).await;
        let claimed = going.events.iter().find_map(|event| match &event.what {
            What::Claimed { jobs } => Some(jobs[0].clone()),
            _ => None,
        });
        let claimed = claimed.expect("a claim came first");
        assert_eq!((claimed.job, claimed.passed), (JobId(1), Vec::new()));
    }
    for going in &mut runs {
        going.run.intervene(Intervention::Clear { worker: None, point: Point::InWork });
        going.end().await;
        assert_eq!(going.world.summary().done, 3);
    }
}

#[tokio::test]
async fn a_run_s_notify_wakes_its_own_workers_and_not_another_run_s() {
    // The first job comes after 10 s: until then the worker listens.
    let scenario = Scenario { wake_up: WakeUp::Notify, workers: 1, work_ms: 0, ..Scenario::default() };
    let slow = Scenario { jobs: 2, arrival: Arrival::Constant, arrival_rate: 0.1, ..scenario.clone() };
    let mut listening = start(slow).await;
    let polls = |event: &rowlock_shared::event::Event| matches!(event.what, What::PollBegan { .. });
    listening.until("the first pause", |_, event| matches!(event.what, What::PauseBegan { .. })).await;
    // The run's channel is subscribed once its listener has executed LISTEN.
    let mut table = Table::new(Scenario::default(), 0).await;
    let heard = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%'";
    table.until(heard, &[Value::Text(format!("rowlock run {} listener", listening.id))], 1).await;

    let mut other = start(Scenario { jobs: 20, ..scenario }).await;
    other.end().await;
    assert_eq!(other.world.summary().done, 20);
    // Notifications of one database arrive in the order of their commits: had the other run's reached this one, its worker
    // would have polled for them before it is told to stand at its next poll and then notified by hand.
    listening.run.intervene(Intervention::Break { worker: None, point: Point::BeforeClaim });
    let mut stranger = listening.stranger().await;
    sqlx::query("SELECT pg_notify($1, '')")
        .bind(format!("rowlock_run_{}", listening.id))
        .execute(&mut stranger)
        .await
        .expect("notifies");
    listening.until("the breakpoint", |_, event| matches!(event.what, What::PausedAt { .. })).await;
    assert_eq!(
        listening.events.iter().filter(|event| polls(event)).count(),
        2,
        "the first, and the one after the hand's"
    );
    listening.run.stop();
    listening.end().await;
}
