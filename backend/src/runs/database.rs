//! The database as it comes and goes.

use super::engine::{Answer, Engine, LiveEngine};
use super::error::RunError;
use crate::cluster::ClusterState;
use crate::live::{LiveError, Postgres, Presence, Store};
use rowlock_shared::text::{Lang, Message};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

/// How often the database is asked whether it is there.
const CHECK: Duration = Duration::from_secs(1);

/// How long an answer to that may take.
const ANSWER: Duration = Duration::from_secs(5);

/// Pause between two tries to come back to it.
const RETRY: Duration = Duration::from_millis(250);

#[derive(Clone)]
enum State {
    Up(Arc<dyn Engine>),
    Down(Message),
}

/// The engine, while there is one.
#[derive(Clone)]
pub struct Database(Arc<Inner>);

struct Inner {
    state: watch::Sender<State>,
    /// Someone met an error that may mean that the database is gone.
    doubt: Notify,
}

impl Database {
    /// A database that is there.
    pub fn up(engine: Arc<dyn Engine>) -> Database {
        Database(Arc::new(Inner { state: watch::Sender::new(State::Up(engine)), doubt: Notify::new() }))
    }

    /// It is there (again).
    pub fn set_up(&self, engine: Arc<dyn Engine>) {
        self.0.state.send_replace(State::Up(engine));
    }

    /// It is gone.
    pub fn set_down(&self, why: Message) {
        self.0.state.send_replace(State::Down(why));
    }

    /// It seems to be gone: nobody is to use it until whoever watches it has looked.
    pub(super) fn doubt(&self, error: &LiveError) {
        self.set_down(error.message());
        self.0.doubt.notify_one();
    }

    /// The engine.
    ///
    /// # Errors
    /// The database is down.
    pub fn engine(&self) -> Result<Arc<dyn Engine>, RunError> {
        match &*self.0.state.borrow() {
            State::Up(engine) => Ok(engine.clone()),
            State::Down(why) => Err(RunError::DatabaseDown { why: why.clone() }),
        }
    }

    /// The engine, waited for.
    pub async fn wait(&self) -> Arc<dyn Engine> {
        let mut states = self.0.state.subscribe();
        loop {
            if let State::Up(engine) = &*states.borrow_and_update() {
                return engine.clone();
            }
            if states.changed().await.is_err() {
                // The sender is held here.
                std::future::pending::<()>().await;
            }
        }
    }

    /// The engine, waited for no longer than this.
    ///
    /// # Errors
    /// It did not come.
    pub async fn wait_for(&self, patience: Duration) -> Result<Arc<dyn Engine>, RunError> {
        match tokio::time::timeout(patience, self.wait()).await {
            Ok(engine) => Ok(engine),
            Err(_) => self.engine(),
        }
    }
}

/// A PostgreSQL that is watched, and come back to after a loss. Dropping it ends the watch.
pub struct LiveDatabase {
    database: Database,
    watch: AbortHandle,
}

impl LiveDatabase {
    /// Connects, opens the server's own tables, and watches from then on. `cluster` tells why it is down, if it is ours.
    ///
    /// # Errors
    /// The server cannot be reached, is too old, refuses, or lacks rights.
    pub async fn open(url: String, cluster: Option<watch::Receiver<ClusterState>>) -> Result<LiveDatabase, LiveError> {
        let (engine, presence) = connect(&url, &[]).await?;
        let mut mine = vec![engine.store.server()];
        let mut engine: Arc<dyn Engine> = Arc::new(engine);
        let database = Database::up(engine.clone());
        let told = database.clone();
        let watch = tokio::spawn(async move {
            let mut presence = presence;
            loop {
                let why = lost(&mut presence, &told, &engine, cluster.clone()).await;
                let why = cluster_says(cluster.as_ref()).unwrap_or(why);
                tracing::warn!(why = why.say(Lang::En), "the database is gone");
                told.set_down(why);
                let back;
                (back, presence) = reconnect(&url, &mine, &told, cluster.as_ref()).await;
                tracing::info!("the database is back");
                mine.push(back.store.server());
                engine = Arc::new(back);
                told.set_up(engine.clone());
            }
        });
        Ok(LiveDatabase { database, watch: watch.abort_handle() })
    }

    /// It, for [`super::Runs`].
    pub fn database(&self) -> Database {
        self.database.clone()
    }
}

impl Drop for LiveDatabase {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

/// Boxed: the compiler then sees that it may move between threads.
fn connect<'a>(url: &'a str, mine: &'a [i64]) -> Answer<'a, (LiveEngine, Presence)> {
    Box::pin(async move {
        let postgres = Postgres::connect(url).await?;
        let (store, presence) = Store::open(&postgres, mine).await?;
        Ok((LiveEngine { postgres, store }, presence))
    })
}

async fn reconnect(
    url: &str,
    mine: &[i64],
    told: &Database,
    cluster: Option<&watch::Receiver<ClusterState>>,
) -> (LiveEngine, Presence) {
    loop {
        match connect(url, mine).await {
            Ok(connected) => return connected,
            Err(error) => {
                tracing::debug!(%error, "no connection yet");
                told.set_down(cluster_says(cluster).unwrap_or_else(|| error.message()));
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Waits until the database no longer answers; says how that showed. It is asked every second, and at once when someone
/// doubts that it is there or the cluster says that something happened.
async fn lost(
    presence: &mut Presence,
    told: &Database,
    engine: &Arc<dyn Engine>,
    mut cluster: Option<watch::Receiver<ClusterState>>,
) -> Message {
    loop {
        tokio::select! {
            () = tokio::time::sleep(CHECK) => {}
            () = told.0.doubt.notified() => {}
            () = news(cluster.as_mut()) => {}
        }
        match tokio::time::timeout(ANSWER, presence.check()).await {
            Ok(Ok(())) if told.engine().is_err() => told.set_up(engine.clone()),
            Ok(Ok(())) => {}
            Ok(Err(error)) => return error.message(),
            Err(_) => return Message::new("server-no-answer").with("seconds", ANSWER.as_secs()),
        }
    }
}

/// Waits for the cluster's state to change; for ever if there is none, or no more changes.
async fn news(cluster: Option<&mut watch::Receiver<ClusterState>>) {
    let changed = match cluster {
        Some(states) => states.changed().await.is_ok(),
        None => false,
    };
    if !changed {
        std::future::pending::<()>().await;
    }
}

fn cluster_says(cluster: Option<&watch::Receiver<ClusterState>>) -> Option<Message> {
    match &*cluster?.borrow() {
        ClusterState::Down { why } => Some(Message::new("server-cluster-down").with("why", why.as_str())),
        ClusterState::Failed { why } => Some(Message::new("server-cluster-failed").with("why", why.as_str())),
        ClusterState::Stopped => Some(Message::new("server-closing")),
        ClusterState::Starting | ClusterState::Ready { .. } => None,
    }
}
