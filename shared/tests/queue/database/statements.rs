//! What each statement does to the table.

use super::{FakeSession, Row};
use rowlock_shared::program::{Answer, Call, Clock, Value};
use rowlock_shared::sql::StatementId;
use std::collections::BTreeMap;
use std::task::Waker;

/// The one row that a statement names.
pub(super) fn row_of(call: &Call<'_>) -> Option<i64> {
    use StatementId::{Ack, DeadLetter, Requeue};
    matches!(call.statement, Ack | DeadLetter | Requeue).then(|| call.args[0].int())
}

/// The claim's LIMIT: a number in its text.
fn limit_of(text: &str) -> i64 {
    let rest = text.split("LIMIT ").nth(1).expect("the claim has a limit");
    rest.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number")
}

fn rows(rows: Vec<Vec<Value>>) -> Answer {
    Answer { affected: rows.len() as u64, rows }
}

fn count(items: impl Iterator) -> Value {
    Value::Int(items.count() as i64)
}

impl FakeSession {
    pub(super) fn is_locked(&self, id: i64) -> bool {
        self.tables.borrow().open.get(&id).is_some_and(|(pid, _)| *pid != self.pid)
    }

    fn now(&self) -> u64 {
        self.began.unwrap_or_else(|| self.clock.now())
    }

    /// The row as this session sees it.
    fn seen(&self, id: i64) -> Row {
        let tables = self.tables.borrow();
        let own = tables.open.get(&id).filter(|(pid, _)| *pid == self.pid).map(|(_, row)| row);
        own.unwrap_or(&tables.jobs[&id]).clone()
    }

    /// Changes a row, for all at once outside a transaction.
    fn change(&self, id: i64, change: impl FnOnce(&mut Row)) {
        let mut row = self.seen(id);
        change(&mut row);
        let mut tables = self.tables.borrow_mut();
        if self.began.is_some() {
            tables.open.insert(id, (self.pid, row));
        } else {
            tables.jobs.insert(id, row);
        }
    }

    pub(super) fn perform(&mut self, call: &Call<'_>) -> Answer {
        let args = call.args;
        match call.statement {
            begin if begin.is_begin() => self.began = Some(self.clock.now()),
            StatementId::Commit => {
                let mut tables = self.tables.borrow_mut();
                let (mine, open) = std::mem::take(&mut tables.open).into_iter().partition(|(_, (p, _))| *p == self.pid);
                tables.open = open;
                let mine: BTreeMap<i64, (i32, Row)> = mine;
                tables.jobs.extend(mine.into_iter().map(|(id, (_, row))| (id, row)));
                self.began = None;
            }
            StatementId::Rollback => {
                self.tables.borrow_mut().open.retain(|_, (pid, _)| *pid != self.pid);
                self.began = None;
            }
            StatementId::Claim => return self.claim(limit_of(call.text), &args[0]),
            StatementId::LookAfterEmpty => return self.look(),
            StatementId::Ack => return self.settle(args, 1, |row| row.status = "done"),
            StatementId::DeadLetter => return self.settle(args, 1, |row| row.status = "failed"),
            StatementId::Requeue => {
                let (now, delay) = (self.clock.now(), args[1].int() as u64);
                return self.settle(args, 2, |row| {
                    *row = Row { status: "queued", worker: None, run_at: now + delay, queued_at: now, ..row.clone() };
                });
            }
            StatementId::Enqueue => return self.enqueue(args),
            StatementId::Notify => self.notify(),
            StatementId::Reap => return self.reap(args[0].int() as u64),
            StatementId::Heartbeat => return self.heartbeat(args),
            StatementId::Effect => return self.effect(args),
            StatementId::Remaining => {
                let tables = self.tables.borrow();
                let of = |status| count(tables.jobs.values().filter(move |row| row.status == status));
                return rows(vec![vec![of("queued"), of("processing")]]);
            }
            other => panic!("{other:?} is no statement of these tests"),
        }
        Answer::default()
    }

    fn claim(&self, limit: i64, worker: &Value) -> Answer {
        let now = self.now();
        let mut due: Vec<(u64, i64)> = Vec::new();
        for (id, row) in &self.tables.borrow().jobs {
            if row.status == "queued" && row.run_at <= now {
                due.push((row.run_at, *id));
            }
        }
        due.sort_unstable();
        let (locked, free): (Vec<_>, Vec<_>) = due.into_iter().partition(|(_, id)| self.is_locked(*id));
        let claimed = free.into_iter().take(limit as usize).map(|place| {
            let (alive_at, id) = (self.clock.now(), place.1);
            let worker = worker.text().map(str::to_owned);
            self.change(id, |row| {
                let attempts = row.attempts + 1;
                *row = Row { status: "processing", attempts, worker, alive_at, ..row.clone() };
            });
            let passed = locked.iter().filter(|ahead| **ahead < place).map(|(_, id)| *id).collect();
            vec![Value::Int(id), Value::Int(self.seen(id).attempts), Value::Ints(passed)]
        });
        rows(claimed.collect())
    }

    fn look(&self) -> Answer {
        let (then, now) = (self.now(), self.clock.now());
        let tables = self.tables.borrow();
        let queued = || tables.jobs.values().filter(|row| row.status == "queued");
        let was_due = |row: &Row| row.run_at <= then && row.queued_at <= then;
        let was = count(queued().filter(|row| was_due(row)));
        let came = count(queued().filter(|row| row.run_at <= now && !was_due(row)));
        rows(vec![vec![was, came, count(queued().filter(|row| row.run_at > now))]])
    }

    /// One row, if the fence's arguments (from `fence` on) still are true of it.
    fn settle(&self, args: &[Value], fence: usize, change: impl FnOnce(&mut Row)) -> Answer {
        let (id, row) = (args[0].int(), self.seen(args[0].int()));
        let owner =
            args.get(fence).is_none_or(|name| row.status == "processing" && row.worker.as_deref() == name.text());
        let attempt = args.get(fence + 1).is_none_or(|attempt| row.attempts == attempt.int());
        if !owner || !attempt {
            return Answer::default();
        }
        self.change(id, change);
        Answer { rows: Vec::new(), affected: 1 }
    }

    fn enqueue(&self, args: &[Value]) -> Answer {
        let now = self.now();
        let mut tables = self.tables.borrow_mut();
        for id in args[0].ints() {
            let row = Row {
                status: "queued",
                attempts: 0,
                worker: None,
                max_attempts: args[2].int(),
                run_at: now,
                queued_at: now,
                alive_at: 0,
            };
            assert_eq!(tables.jobs.insert(*id, row), None, "{id} was there before");
        }
        Answer { rows: Vec::new(), affected: args[0].ints().len() as u64 }
    }

    fn notify(&self) {
        let mut tables = self.tables.borrow_mut();
        tables.notified += 1;
        tables.listeners.drain(..).for_each(Waker::wake);
    }

    fn reap(&self, lease: u64) -> Answer {
        let now = self.clock.now();
        let expired: Vec<(i64, Row)> = {
            let tables = self.tables.borrow();
            let old = |row: &Row| row.status == "processing" && row.alive_at + lease < now;
            tables.jobs.iter().filter(|(_, row)| old(row)).map(|(id, row)| (*id, row.clone())).collect()
        };
        let reaped = expired.into_iter().filter(|(id, _)| !self.is_locked(*id)).map(|(id, row)| {
            let status = if self.reaper_gives_up && row.attempts >= row.max_attempts { "failed" } else { "queued" };
            self.change(id, |row| *row = Row { status, worker: None, queued_at: now, ..row.clone() });
            let owner = row.worker.map_or(Value::Null, Value::Text);
            let age = Value::Int((now - row.alive_at) as i64);
            vec![Value::Int(id), owner, Value::Int(row.attempts), age, Value::Text(status.into())]
        });
        rows(reaped.collect())
    }

    fn heartbeat(&self, args: &[Value]) -> Answer {
        let (Value::Texts(workers), now) = (&args[1], self.clock.now()) else { panic!("names of workers") };
        let live = args[0].ints().iter().zip(workers).zip(args[2].ints());
        let beaten = live.filter(|((id, worker), attempt)| {
            let row = self.seen(**id);
            row.status == "processing" && row.worker.as_ref() == Some(worker) && row.attempts == **attempt
        });
        let ids: Vec<i64> = beaten.map(|((id, _), _)| *id).filter(|id| !self.is_locked(*id)).collect();
        ids.iter().for_each(|id| self.change(*id, |row| row.alive_at = now));
        rows(ids.into_iter().map(|id| vec![Value::Int(id)]).collect())
    }

    fn effect(&self, args: &[Value]) -> Answer {
        let mut tables = self.tables.borrow_mut();
        if let Some(key) = args[5].text()
            && !tables.keys.insert(key.to_owned())
        {
            return Answer::default();
        }
        tables.effects.push((args[0].int(), args[1].text().unwrap_or_default().to_owned()));
        rows(vec![vec![Value::Int(tables.effects.len() as i64)]])
    }
}
