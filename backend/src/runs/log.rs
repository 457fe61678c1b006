//! A run's events as text: one JSON object a line, in segments that never change once they are made.
//!
//! Each event is written down once, by the one task that collects a run; two hundred viewers, the export and the archive
//! then copy text. A segment is shared, so that whoever reads holds no lock while it does.

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rowlock_shared::event::Event;
use std::io::{Read, Write};
use std::sync::Arc;

/// About how much text goes into one compressed piece, in bytes.
const PIECE: usize = 4 << 20;

/// Some events in a row, without gaps.
#[derive(Debug)]
pub struct Segment {
    first: u64,
    /// Where each line ends, its line feed included.
    ends: Vec<usize>,
    text: String,
}

impl Segment {
    /// Writes events down; a gap in their numbers ends the segment and begins another (only the very last event of a run
    /// that reached the limit of events has one before it).
    pub(super) fn write(events: &[Event]) -> Vec<Arc<Segment>> {
        let runs = events.chunk_by(|a, b| a.seq + 1 == b.seq);
        runs.filter_map(|run| run.first().map(|first| (first.seq, run)))
            .map(|(first, run)| {
                let (mut text, mut ends) = (String::with_capacity(run.len() * 128), Vec::with_capacity(run.len()));
                for event in run {
                    // Events are plain records: to write one as JSON cannot fail.
                    text += &serde_json::to_string(event).unwrap_or_default();
                    text.push('\n');
                    ends.push(text.len());
                }
                Arc::new(Segment { first, ends, text })
            })
            .collect()
    }

    /// The number of its last event.
    pub(super) fn last(&self) -> u64 {
        self.first + self.ends.len() as u64 - 1
    }

    /// How many of its events come after event `seq`.
    pub(super) fn count_after(&self, seq: u64) -> u64 {
        (self.last() + 1).saturating_sub(self.first.max(seq + 1))
    }

    /// All of it, as JSON lines.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines after event `seq`, each with the number of its event, without line feeds.
    pub(super) fn after(&self, seq: u64) -> impl Iterator<Item = (u64, &str)> {
        let skip = (seq + 1).saturating_sub(self.first).min(self.ends.len() as u64) as usize;
        (skip..self.ends.len()).map(move |index| {
            let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
            (self.first + index as u64, &self.text[start..self.ends[index] - 1])
        })
    }
}

/// Compresses a run's events into pieces, each a gzip file of JSON lines.
///
/// # Errors
/// Never in practice: memory is written to.
pub(super) fn compress(segments: &[Arc<Segment>]) -> std::io::Result<Vec<Vec<u8>>> {
    let mut pieces = Vec::new();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut size = 0;
    for segment in segments {
        encoder.write_all(segment.text.as_bytes())?;
        size += segment.text.len();
        if size >= PIECE {
            let full = std::mem::replace(&mut encoder, GzEncoder::new(Vec::new(), Compression::default()));
            pieces.push(full.finish()?);
            size = 0;
        }
    }
    if size > 0 {
        pieces.push(encoder.finish()?);
    }
    Ok(pieces)
}

/// The inverse of [`compress`].
///
/// # Errors
/// A piece is damaged, or holds what this version cannot read.
pub(super) fn expand(pieces: &[Vec<u8>]) -> std::io::Result<Vec<Event>> {
    let mut events = Vec::new();
    for piece in pieces {
        let mut text = String::new();
        GzDecoder::new(piece.as_slice()).read_to_string(&mut text)?;
        for line in text.lines() {
            events.push(serde_json::from_str(line)?);
        }
    }
    Ok(events)
}
