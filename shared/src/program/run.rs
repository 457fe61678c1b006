//! What everyone in a run shares: the knobs, the seams, the log and a little bookkeeping outside the database.

use super::board::Board;
use super::session::{Answer, Call, Clock, Database, Points, Session, Value};
use crate::event::{EndReason, Event, Evidence, Refusal, RefusalKind, What};
use crate::ids::Actor;
use crate::program::race::Bell;
use crate::scenario::Scenario;
use crate::sql::{StatementId, Statements};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An engine: a database, a clock and the points, which together are all that the queue program knows of the world.
pub trait Engine: 'static {
    /// Where sessions come from.
    type Database: Database;
    /// What time it is.
    type Clock: Clock;
    /// Who may go on.
    type Points: Points;
}

/// A scenario with its statements rendered. Read through [`Run::knobs`] at each use, never captured: a knob can be turned
/// while a run goes on.
#[derive(Debug)]
pub struct Knobs {
    /// The scenario.
    pub scenario: Scenario,
    /// Its statements.
    pub statements: Statements,
}

impl Knobs {
    /// Renders the statements of a scenario.
    pub fn new(scenario: Scenario) -> Rc<Knobs> {
        Rc::new(Knobs { statements: Statements::new(&scenario), scenario })
    }
}

/// One run in progress.
pub struct Run<E: Engine> {
    /// The database.
    pub database: E::Database,
    /// The clock.
    pub clock: E::Clock,
    /// The points.
    pub points: E::Points,
    /// What is known outside the database.
    pub board: Board,
    /// Rung for sleeping workers when a NOTIFY arrives.
    pub wake: Bell,
    knobs: RefCell<Rc<Knobs>>,
    sink: Box<dyn Fn(Event)>,
    seq: Cell<u64>,
    evidence: Evidence,
    verdict: RefCell<Option<(EndReason, String)>>,
    over: Bell,
}

impl<E: Engine> Run<E> {
    /// A run that tells its events to `sink`. `evidence` is what its own statements are: executed or simulated.
    pub fn new(
        knobs: Rc<Knobs>,
        database: E::Database,
        clock: E::Clock,
        points: E::Points,
        evidence: Evidence,
        sink: Box<dyn Fn(Event)>,
    ) -> Rc<Run<E>> {
        let board = Board::new(knobs.scenario.workers);
        Rc::new(Run {
            database,
            clock,
            points,
            board,
            wake: Bell::default(),
            knobs: RefCell::new(knobs),
            sink,
            seq: Cell::new(0),
            evidence,
            verdict: RefCell::new(None),
            over: Bell::default(),
        })
    }

    /// The knobs as they stand now.
    pub fn knobs(&self) -> Rc<Knobs> {
        self.knobs.borrow().clone()
    }

    /// Turns knobs: from the next statement on, these hold.
    pub fn turn(&self, knobs: Rc<Knobs>) {
        *self.knobs.borrow_mut() = knobs;
    }

    /// A duration of the scenario in µs of this run's clock.
    pub fn us(&self, scenario_ms: u32) -> u64 {
        self.knobs().scenario.real_us(f64::from(scenario_ms))
    }

    /// Tells an event that the program itself knows.
    pub fn tell(&self, who: Actor, what: What) {
        self.tell_as(who, self.evidence, what);
    }

    /// Tells an event with its evidence.
    pub fn tell_as(&self, who: Actor, evidence: Evidence, what: What) {
        let seq = self.seq.get() + 1;
        self.seq.set(seq);
        (self.sink)(Event { seq, at: self.clock.now(), who, evidence, what });
    }

    /// Executes a statement for someone, with its *sent* and *returned* events.
    ///
    /// # Errors
    /// The database's refusal, which the *returned* event also carries.
    pub async fn execute(
        &self,
        who: Actor,
        session: &mut impl Session,
        statement: StatementId,
        args: &[Value],
    ) -> Result<Answer, Refusal> {
        let knobs = self.knobs();
        self.tell(who, What::Sent { statement });
        let answer = session.execute(Call { statement, text: knobs.statements.text(statement), args }).await;
        let (rows, refusal) = match &answer {
            Ok(answer) => (u32::try_from(answer.affected).unwrap_or(u32::MAX), None),
            Err(refusal) => (0, Some(refusal.clone())),
        };
        self.tell(who, What::Returned { statement, rows, refusal });
        answer
    }

    /// Ends the run; the first reason counts.
    pub fn end(&self, reason: EndReason, detail: impl Into<String>) {
        let mut verdict = self.verdict.borrow_mut();
        if verdict.is_none() {
            *verdict = Some((reason, detail.into()));
            drop(verdict);
            self.over.ring();
        }
    }

    /// Ends the run because of an error that no worker can handle.
    pub fn fail(&self, refusal: &Refusal) {
        let reason = if refusal.kind.ends_session() { EndReason::DatabaseLost } else { EndReason::Failed };
        self.end(reason, refusal.message.clone());
    }

    /// Ends the run if no retry can help: a table that is gone, a value that does not fit. Locks, timeouts, conflicts and
    /// lost sessions are a worker's daily bread and pass.
    pub fn fail_unless_it_passes(&self, refusal: &Refusal) {
        if refusal.kind == RefusalKind::Other {
            self.fail(refusal);
        }
    }

    /// Waits for the run's end.
    pub async fn over(&self) -> (EndReason, String) {
        loop {
            let seen = self.over.count();
            if let Some(verdict) = self.verdict.borrow().clone() {
                return verdict;
            }
            self.over.after(seen).await;
        }
    }
}
