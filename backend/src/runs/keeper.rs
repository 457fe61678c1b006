//! What becomes of a run: collected, kept, its schema dropped, its events let go from memory.

use super::entry::Entry;
use super::log;
use super::registry::Inner;
use crate::live::StoredRun;
use rowlock_shared::event::Event;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tracing::Instrument;

/// Schemas of ended runs that stay, the newest first.
const SCHEMAS_KEPT: usize = 1;

/// Pause before a run is tried to be kept again.
const RETRY: Duration = Duration::from_secs(1);

/// Tries to keep a run that the database refuses though it is there.
const TRIES: u32 = 5;

/// A run's life on the server's side.
pub(super) async fn look_after(inner: Arc<Inner>, entry: Arc<Entry>, events: UnboundedReceiver<Event>) {
    let span = tracing::info_span!("run", id = entry.id.0);
    let life = async {
        entry.hub.collect(events).await;
        let ended = entry.hub.world().ended.clone();
        tracing::info!(?ended, events = entry.hub.tip().borrow().seq, "run ended");
        keep(&inner, &entry).await;
        entry.settled.send_replace(true);
        clear_schemas(&inner, SCHEMAS_KEPT).await;
        prune(&inner).await;
        evict(&inner);
        expire_later(&inner, &entry);
    };
    life.instrument(span).await;
}

/// Writes the run into the database, however long that is away.
async fn keep(inner: &Inner, entry: &Arc<Entry>) {
    let segments = entry.hub.segments();
    let pieces = match tokio::task::spawn_blocking(move || log::compress(&segments)).await {
        Ok(Ok(pieces)) => pieces,
        Ok(Err(error)) => return tracing::error!(%error, "the run's events cannot be compressed"),
        Err(panic) => return tracing::error!(%panic, "the run's events cannot be compressed"),
    };
    let world = entry.hub.world();
    let Some((ended, _)) = world.ended else { return };
    let (id, started_at, scenario) = (entry.id, entry.started_at, entry.scenario.clone());
    let stored = StoredRun { id, started_at, scenario, ended, summary: world.summary() };
    let mut tries = 0;
    loop {
        let engine = inner.database.wait().await;
        match engine.save(&stored, &pieces).await {
            Ok(()) => return,
            Err(error) if error.is_lost() => {
                tracing::warn!(%error, "the run is kept when the database is back");
                inner.database.doubt(&error);
                tries = 0;
            }
            Err(error) if tries < TRIES => tracing::warn!(%error, "the run could not be kept; trying again"),
            Err(error) => return tracing::error!(%error, "the run could not be kept"),
        }
        tries += 1;
        tokio::time::sleep(RETRY).await;
    }
}

/// Drops the schemas of ended runs, except the newest `spare`. What fails is tried again when the next run ends, and by
/// the next start of a server.
pub(super) async fn clear_schemas(inner: &Inner, spare: usize) {
    let ended = |entry: &&Arc<Entry>| entry.hub.is_over() && entry.has_schema.load(Ordering::SeqCst);
    let entries: Vec<Arc<Entry>> = inner.entries().values().rev().filter(ended).skip(spare).cloned().collect();
    for entry in entries {
        clear_schema(inner, &entry).await;
    }
}

async fn clear_schema(inner: &Inner, entry: &Entry) {
    let Ok(engine) = inner.database.engine() else { return };
    match engine.clear(entry.id).await {
        Ok(()) => entry.has_schema.store(false, Ordering::SeqCst),
        Err(error) => tracing::warn!(run = entry.id.0, %error, "its schema could not be dropped yet"),
    }
}

fn expire_later(inner: &Arc<Inner>, entry: &Arc<Entry>) {
    let (weak, entry) = (Arc::downgrade(inner), Arc::downgrade(entry));
    let expiry = inner.limits.schema_expiry;
    tokio::spawn(async move {
        tokio::time::sleep(expiry).await;
        if let (Some(inner), Some(entry)) = (weak.upgrade(), entry.upgrade())
            && entry.has_schema.load(Ordering::SeqCst)
        {
            clear_schema(&inner, &entry).await;
        }
    });
}

async fn prune(inner: &Inner) {
    let Ok(engine) = inner.database.engine() else { return };
    match engine.prune(inner.limits.keep).await {
        Ok(gone) => {
            let mut entries = inner.entries();
            for run in gone {
                tracing::info!(run = run.0, "an old run was let go");
                entries.remove(&run);
            }
        }
        Err(error) => tracing::warn!(%error, "old runs could not be pruned"),
    }
}

/// Lets go of kept runs in memory that nobody asked for lately.
pub(super) fn evict(inner: &Inner) {
    let mut entries = inner.entries();
    let idle = |entry: &&Arc<Entry>| *entry.settled.borrow() && !entry.has_schema.load(Ordering::SeqCst);
    let mut old: Vec<_> = entries.values().filter(idle).map(|e| (e.used.load(Ordering::Relaxed), e.id)).collect();
    old.sort_unstable();
    let surplus = old.len().saturating_sub(inner.limits.in_memory);
    for (_, run) in old.into_iter().take(surplus) {
        entries.remove(&run);
    }
}
