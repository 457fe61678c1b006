//! Waits for locks: which began, which ended, and who stands where in line.

use super::look::{Ctid, Look, WaitRow};
use rowlock_shared::event::{LockRow, WaitFor, What};
use rowlock_shared::ids::{Actor, JobId};
use rowlock_shared::program::Pulse;
use std::collections::BTreeMap;

/// The waits as the last look had them.
pub(super) struct Waits {
    /// Server clock minus run clock, µs.
    offset: i64,
    /// By backend.
    now: BTreeMap<i32, Known>,
    /// Jobs at the places of the heap that are waited for; a place is forgotten when nobody waits there.
    jobs: BTreeMap<Ctid, JobId>,
}

struct Known {
    who: Actor,
    /// When it began, µs of the run.
    since: u64,
    /// The row: its job, or its place in the heap while that is not known.
    row: Option<String>,
    lock: LockRow,
    place: u32,
    blocked_by: Vec<Actor>,
}

impl Waits {
    pub(super) fn new(offset: i64) -> Waits {
        Waits { offset, now: BTreeMap::new(), jobs: BTreeMap::new() }
    }

    /// Whether it is known which job is at this place.
    pub(super) fn knows(&self, ctid: &Ctid) -> bool {
        self.jobs.contains_key(ctid)
    }

    /// Tells what changed since the last look.
    pub(super) fn update(&mut self, look: &Look, now: u64, pulse: &Pulse, tell: &mut dyn FnMut(Actor, What)) {
        let ours = |row: &&WaitRow| {
            let of_the_run = |pid: &i32| !matches!(pulse.actor(*pid), Actor::Stranger { .. });
            let on_jobs = row.relation.as_deref().is_some_and(|name| name == "jobs" || name == "effects");
            of_the_run(&row.pid) || on_jobs || row.tuple.is_some() || row.blockers.iter().any(of_the_run)
        };
        let rows: Vec<&WaitRow> = look.waits.iter().filter(ours).collect();
        self.jobs.retain(|ctid, _| rows.iter().any(|row| row.tuple.as_ref() == Some(ctid)));
        self.jobs.extend(look.jobs.iter().map(|(ctid, job)| (ctid.clone(), *job)));
        let seen: Vec<i32> = rows.iter().map(|row| row.pid).collect();
        let gone: Vec<i32> = self.now.keys().filter(|pid| !seen.contains(pid)).copied().collect();
        for pid in gone {
            self.end(pid, now, pulse, tell);
        }
        for (row, place) in places(&rows) {
            self.one(row, place, now, pulse, tell);
        }
    }

    fn one(&mut self, row: &WaitRow, place: u32, now: u64, pulse: &Pulse, tell: &mut dyn FnMut(Actor, What)) {
        let since = match row.began {
            Some(at) => u64::try_from(at - self.offset).unwrap_or(0).min(now),
            None => self.now.get(&row.pid).map_or(now, |known| known.since),
        };
        let lock = lock_row(row);
        let blocked_by: Vec<Actor> = row.blockers.iter().map(|pid| pulse.actor(*pid)).collect();
        let who = pulse.actor(row.pid);
        let job = row.advisory_job.or_else(|| row.tuple.as_ref().and_then(|ctid| self.jobs.get(ctid)).copied());
        let wait = match row.locktype.as_str() {
            "transactionid" => WaitFor::TransactionId,
            "tuple" => WaitFor::Tuple,
            "relation" => WaitFor::Relation,
            "advisory" => WaitFor::Advisory,
            _ => WaitFor::Other,
        };
        if let Some(known) = self.now.get_mut(&row.pid) {
            // A crashed worker's backend goes on waiting as a stranger.
            let same = known.who == who;
            if same && known.lock == lock && known.place == place && known.blocked_by == blocked_by {
                return;
            }
            // One statement, one row: it moves up in line, or from the tuple lock to the transaction behind it.
            let answered = pulse.answered(who).is_some_and(|at| at >= known.since);
            if same && !answered && known.row.is_some() && known.row == row_of(row, job) {
                tell(who, What::WaitMoved { wait, blocked_by: blocked_by.clone(), place, lock: lock.clone() });
                (known.lock, known.place, known.blocked_by) = (lock, place, blocked_by);
                return;
            }
            self.end(row.pid, now.min(since), pulse, tell);
        }
        let what = What::WaitBegan { wait, job, blocked_by: blocked_by.clone(), place, since, lock: lock.clone() };
        tell(who, what);
        self.now.insert(row.pid, Known { who, since, row: row_of(row, job), lock, place, blocked_by });
    }

    /// A wait is over: it lasted until its statement's answer, where that is known, else until this look.
    fn end(&mut self, pid: i32, now: u64, pulse: &Pulse, tell: &mut dyn FnMut(Actor, What)) {
        let Some(known) = self.now.remove(&pid) else { return };
        let answered = pulse.answered(known.who).filter(|at| *at >= known.since);
        let until = answered.map_or(now, |at| at.min(now));
        tell(known.who, What::WaitEnded { us: until.saturating_sub(known.since) });
    }
}

/// What makes two looks at one backend the same wait.
fn row_of(row: &WaitRow, job: Option<JobId>) -> Option<String> {
    job.map(|job| format!("job {job}")).or_else(|| row.tuple.clone())
}

fn lock_row(row: &WaitRow) -> LockRow {
    LockRow {
        locktype: row.locktype.clone(),
        mode: row.mode.clone(),
        granted: false,
        relation: row.relation.clone(),
        tuple: row.tuple.clone(),
        transactionid: row.xid.clone(),
    }
}

/// Each wait with its place in line, from 1. For a row the one who waits for the transaction is first (it holds the tuple
/// lock), those who wait for the tuple lock follow in the order of their waits; any other lock has one line of its own.
fn places<'a>(rows: &[&'a WaitRow]) -> Vec<(&'a WaitRow, u32)> {
    let line = |row: &WaitRow| match (&row.tuple, &row.advisory_job) {
        (Some(ctid), _) => format!("row {ctid}"),
        (None, Some(job)) => format!("advisory {job}"),
        (None, None) => format!("{} {:?} {:?}", row.locktype, row.relation, row.xid),
    };
    let mut lines: BTreeMap<String, Vec<&'a WaitRow>> = BTreeMap::new();
    for row in rows {
        lines.entry(line(row)).or_default().push(row);
    }
    for line in lines.values_mut() {
        line.sort_by_key(|row| (row.locktype == "tuple", row.began.unwrap_or(i64::MAX), row.pid));
    }
    lines.into_values().flat_map(|line| line.into_iter().zip(1..)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: i32, locktype: &str, tuple: Option<&str>, began: i64, blockers: &[i32]) -> WaitRow {
        WaitRow {
            pid,
            locktype: locktype.into(),
            mode: "ExclusiveLock".into(),
            relation: None,
            tuple: tuple.map(Into::into),
            xid: None,
            began: Some(began),
            blockers: blockers.to_vec(),
            advisory_job: None,
        }
    }

    #[test]
    fn the_line_of_a_row_begins_with_the_one_who_waits_for_the_transaction() {
        let rows = [
            row(11, "tuple", Some("(0,1)"), 5, &[10]),
            row(12, "tuple", Some("(0,1)"), 4, &[10]),
            row(10, "transactionid", Some("(0,1)"), 6, &[1]),
            row(20, "tuple", Some("(0,2)"), 1, &[]),
        ];
        let rows: Vec<&WaitRow> = rows.iter().collect();
        let mut told: Vec<(i32, u32)> = places(&rows).into_iter().map(|(row, place)| (row.pid, place)).collect();
        told.sort_unstable();
        assert_eq!(told, [(10, 1), (11, 3), (12, 2), (20, 1)]);
    }

    #[test]
    fn moving_up_in_line_is_the_same_wait() {
        let (pulse, mut waits) = (Pulse::default(), Waits::new(0));
        let mut told = Vec::new();
        let looks = [
            vec![row(8, "tuple", Some("(0,1)"), 150, &[7]), row(7, "transactionid", Some("(0,1)"), 100, &[1])],
            vec![row(8, "transactionid", Some("(0,1)"), 300, &[7])],
            vec![row(8, "transactionid", Some("(0,2)"), 500, &[7])],
        ];
        for (rows, now) in looks.into_iter().zip([200, 400, 600]) {
            let look = Look { waits: rows, ..Look::default() };
            waits.update(&look, now, &pulse, &mut |who, what| told.push((who, what)));
        }
        let of_8: Vec<&What> =
            told.iter().filter(|(who, _)| *who == Actor::Stranger { pid: 8 }).map(|(_, what)| what).collect();
        assert!(matches!(of_8[0], What::WaitBegan { place: 2, since: 150, .. }), "{of_8:?}");
        assert!(matches!(of_8[1], What::WaitMoved { place: 1, wait: WaitFor::TransactionId, .. }), "{of_8:?}");
        assert!(matches!(of_8[2], What::WaitEnded { us: 350 }), "another row is another wait: {of_8:?}");
        assert!(matches!(of_8[3], What::WaitBegan { since: 500, .. }), "{of_8:?}");
        assert_eq!(of_8.len(), 4);
    }

    #[test]
    fn a_wait_is_told_once_and_its_end_once() {
        let (pulse, mut waits) = (Pulse::default(), Waits::new(1_000));
        let mut told = Vec::new();
        let look = |rows: Vec<WaitRow>| Look { waits: rows, ..Look::default() };
        let one = row(7, "transactionid", Some("(0,1)"), 1_500, &[1]);
        for (rows, now) in [(vec![one.clone()], 600), (vec![one], 700), (vec![], 900)] {
            waits.update(&look(rows), now, &pulse, &mut |who, what| told.push((who, what)));
        }
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(matches!(told[0], (Actor::Stranger { pid: 7 }, What::WaitBegan { since: 500, place: 1, .. })));
        assert!(matches!(told[1].1, What::WaitEnded { us: 400 }));
    }
}
