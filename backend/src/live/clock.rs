//! The real clock.

use rowlock_shared::program::Clock;
use std::time::Duration;
use tokio::time::Instant;

/// µs since the run began, from the monotonic clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallClock {
    began: Instant,
}

impl WallClock {
    /// A clock that begins now.
    pub(super) fn start() -> WallClock {
        WallClock { began: Instant::now() }
    }
}

impl Clock for WallClock {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    async fn sleep(&self, us: u64) {
        tokio::time::sleep(Duration::from_micros(us)).await;
    }
}
