//! The run's time between two events.

/// Maps the page's clock to the run's. Messages arrive late by varying amounts; the least delay seen is nearest to the truth.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct RunClock {
    /// Page's clock minus run's clock, ms; the least seen.
    offset_ms: Option<f64>,
}

impl RunClock {
    /// An event of this time (µs of the run) has just been received.
    pub(crate) fn heard(&mut self, at: u64, local_ms: f64) {
        let offset = local_ms - at as f64 / 1000.0;
        self.offset_ms = Some(self.offset_ms.map_or(offset, |least| least.min(offset)));
    }

    /// The run's time now, never before the last event's.
    pub(crate) fn now(&self, last_at: u64, local_ms: f64) -> u64 {
        match self.offset_ms {
            Some(offset) => (((local_ms - offset) * 1000.0).max(0.0) as u64).max(last_at),
            None => last_at,
        }
    }
}
