//! What both `serve` and `run` stand on: a PostgreSQL, ours or a person's, and the registry over it.

use super::args::Base;
use super::failure::Failure;
use super::signal;
use crate::cluster::{Cluster, ClusterOptions, ProgressFn};
use crate::runs::{Limits, LiveDatabase, Runs};
use tokio::sync::watch;

/// It, while it stands.
pub(super) struct Standing {
    pub(super) runs: Runs,
    /// Absent when the database is a person's own.
    cluster: Option<Cluster>,
    database: LiveDatabase,
}

impl Standing {
    /// Starts or reaches the database. A signal ends that, and what was begun.
    pub(super) async fn stand(
        base: &Base,
        limits: Limits,
        progress: ProgressFn,
        signal: watch::Receiver<bool>,
    ) -> Result<Standing, Failure> {
        tokio::select! {
            biased;
            () = signal::given(signal) => Err(Failure::Interrupted),
            standing = Standing::reach(base, limits, progress) => standing,
        }
    }

    async fn reach(base: &Base, limits: Limits, progress: ProgressFn) -> Result<Standing, Failure> {
        let (cluster, url) = match &base.database_url {
            Some(url) => (None, url.clone()),
            None => {
                let options = ClusterOptions {
                    cache_dir: base.cache_dir.clone(),
                    durable: !base.fast_not_durable,
                    progress,
                    ..Default::default()
                };
                let cluster = Cluster::start(options).await?;
                let url = cluster.url();
                (Some(cluster), url)
            }
        };
        let database = LiveDatabase::open(url, cluster.as_ref().map(Cluster::state)).await?;
        let runs = Runs::new(database.database(), Limits { keep: base.keep(), ..limits });
        Ok(Standing { runs, cluster, database })
    }

    /// Whether the database is Rowlock's own.
    pub(super) fn is_embedded(&self) -> bool {
        self.cluster.is_some()
    }

    /// Ends runs, then the watch over the database, then the database.
    pub(super) async fn end(self) {
        self.runs.close().await;
        drop(self.database);
        if let Some(cluster) = &self.cluster {
            cluster.stop().await;
        }
    }
}
