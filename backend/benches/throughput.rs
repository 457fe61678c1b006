//! How near the live engine comes to pgbench: the same statements on the same server, as PostgreSQL ships it (fsync on).
//!
//! Skip-locked, work held in the transaction, zero work, no effects, observer and evidence off, 5 clients. Pairs of runs
//! alternate; the figure is the median ratio. Run it with `cargo bench -p rowlock-backend --bench throughput`.

use anyhow::{Context, ensure};
use rowlock_backend::cluster::{Cluster, ClusterOptions};
use rowlock_backend::live::{self, Postgres};
use rowlock_shared::scenario::{Mode, Scenario, Shape};
use rowlock_shared::sql::{StatementId, text};
use rowlock_shared::wire::RunId;
use rowlock_shared::world::World;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor};
use std::process::Command;
use std::str::FromStr;

const PAIRS: u32 = 5;
const CLIENTS: u32 = 5;
const JOBS: u32 = 10_000;

fn scenario() -> Scenario {
    Scenario {
        mode: Mode::SkipLocked,
        shape: Shape::Hold,
        workers: CLIENTS,
        jobs: JOBS,
        work_ms: 0,
        effects: 0,
        evidence: false,
        observer: false,
        ..Scenario::default()
    }
}

fn main() -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?.block_on(bench())
}

async fn bench() -> anyhow::Result<()> {
    let folder = std::env::temp_dir().join(format!("rowlock-bench-{}", std::process::id()));
    let cluster = Cluster::start(ClusterOptions { cache_dir: Some(folder.clone()), ..Default::default() }).await?;
    let postgres = Postgres::connect(&cluster.url()).await?;
    println!("{}, fsync on, {CLIENTS} clients, {JOBS} jobs a run", postgres.version());
    let pgbench = cluster.version().program("pgbench");
    let mut ratios = Vec::new();
    for pair in 0..PAIRS {
        let theirs = run_pgbench(&postgres, &cluster.url(), &pgbench, RunId(1000 + pair)).await?;
        let ours = run_engine(&postgres, RunId(2000 + pair)).await?;
        println!("pair {}: engine {ours:.0} jobs/s, pgbench {theirs:.0} jobs/s, ratio {:.2}", pair + 1, ours / theirs);
        ratios.push(ours / theirs);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio engine / pgbench: {:.2} (asked: at least 0.9)", ratios[ratios.len() / 2]);
    cluster.stop().await;
    std::fs::remove_dir_all(folder).context("removing the bench's folder")
}

async fn run_engine(postgres: &Postgres, run: RunId) -> anyhow::Result<f64> {
    let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
    let _going = live::start(postgres.clone(), run, scenario(), sender);
    let mut world = World::new();
    // Folded afterwards: the run has its own thread, but not its own core.
    let mut kept = Vec::new();
    while events.recv_many(&mut kept, 4096).await > 0 {}
    // As pgbench does, the clock starts when everyone is connected.
    let (mut ready, mut before) = (0, 0);
    for event in &kept {
        let polls = |world: &World| world.workers.iter().filter(|worker| worker.poll_since > 0).count();
        let waits = polls(&world) < CLIENTS as usize;
        world.apply(event);
        if waits && polls(&world) == CLIENTS as usize {
            (ready, before) = (event.at, world.summary().done);
        }
    }
    let summary = world.summary();
    ensure!(summary.done == JOBS, "the engine left jobs: {summary:?}");
    postgres.drop_run(run).await?;
    Ok(f64::from(JOBS - before) * 1e6 / (world.counters.last_ack_at - ready) as f64)
}

async fn run_pgbench(postgres: &Postgres, url: &str, program: &std::path::Path, run: RunId) -> anyhow::Result<f64> {
    let scenario = scenario();
    live::prepare(postgres, run, &scenario).await?;
    let options = sqlx::postgres::PgConnectOptions::from_str(url)?;
    let mut session = options.clone().options([("search_path", format!("rowlock_run_{run}"))]).connect().await?;
    let enqueue = text(StatementId::Enqueue, &scenario)
        .replace("$1::bigint[]", &format!("(SELECT array_agg(n) FROM generate_series(1, {JOBS}) AS n)::bigint[]"))
        .replace("$2::int[]", &format!("array_fill(0, ARRAY[{JOBS}])"))
        .replace("$3", "3");
    session.execute(AssertSqlSafe(enqueue)).await?;
    // The engine's own statements, with pgbench's variables for the parameters.
    let claim = text(StatementId::Claim, &scenario).replace("$1", ":client_id::text");
    let ack = text(StatementId::Ack, &scenario).replace("$1", ":id");
    let begin = text(StatementId::Begin, &scenario);
    let script = format!("{begin};\n{claim} \\gset\n{ack};\nCOMMIT;\n");
    let file = std::env::temp_dir().join(format!("rowlock-bench-{}.sql", std::process::id()));
    std::fs::write(&file, script)?;
    let socket = options.get_socket().context("the bench's cluster has a socket")?;
    let output = Command::new(program)
        .args(["-n", "-M", "prepared", "-c", &CLIENTS.to_string(), "-j", "1"])
        .args(["-t", &(JOBS / CLIENTS).to_string(), "-f"])
        .arg(&file)
        .arg("-h")
        .arg(socket)
        .args(["-p", &options.get_port().to_string(), "-U", options.get_username()])
        .arg(options.get_database().unwrap_or("postgres"))
        .env("PGOPTIONS", format!("-c search_path=rowlock_run_{run}"))
        .output()?;
    std::fs::remove_file(&file)?;
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
    let tps = report.lines().find_map(|line| line.strip_prefix("tps = ")).and_then(|rest| rest.split(' ').next());
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM jobs WHERE status <> 'done'").fetch_one(&mut session).await?;
    ensure!(left == 0, "pgbench left {left} jobs");
    postgres.drop_run(run).await?;
    tps.context("pgbench prints its tps")?.parse().context("a number")
}
