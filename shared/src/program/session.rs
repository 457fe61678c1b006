//! The seams: what the queue program needs from a database and from a clock, and nothing more.

use crate::event::Refusal;
use crate::ids::Actor;
use crate::program::Point;
use crate::sql::StatementId;
use std::future::Future;
use std::ops::DerefMut;

/// A value that goes into a statement or comes out of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// smallint, int or bigint.
    Int(i64),
    /// text.
    Text(String),
    /// bigint[] or int[].
    Ints(Vec<i64>),
    /// text[].
    Texts(Vec<String>),
}

impl Value {
    /// The number, or 0: a column that the statement's own text declares as a number holds one.
    pub fn int(&self) -> i64 {
        match self {
            Value::Int(n) => *n,
            _ => 0,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The numbers, or none.
    pub fn ints(&self) -> &[i64] {
        match self {
            Value::Ints(numbers) => numbers,
            _ => &[],
        }
    }
}

/// A statement's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The rows it returned.
    pub rows: Vec<Vec<Value>>,
    /// Rows returned or changed, as the server counts them.
    pub affected: u64,
}

/// A statement to execute.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Which one.
    pub statement: StatementId,
    /// Its text.
    pub text: &'a str,
    /// Its parameters.
    pub args: &'a [Value],
}

/// One session of a database. Dropped without a word it stands for a crashed client: nothing is sent, not even a ROLLBACK.
pub trait Session {
    /// Executes one statement.
    fn execute(&mut self, call: Call<'_>) -> impl Future<Output = Result<Answer, Refusal>>;

    /// The backend's process id.
    fn pid(&self) -> i32;
}

/// A subscription to NOTIFY.
pub trait Listener {
    /// Waits for the next notification.
    fn notified(&mut self) -> impl Future<Output = Result<(), Refusal>>;
}

/// A database that opens sessions.
pub trait Database {
    /// Its sessions.
    type Session: Session;
    /// Its subscriptions.
    type Listener: Listener;

    /// Opens a session for someone, set up with the scenario's timeouts.
    fn open(&self, who: Actor) -> impl Future<Output = Result<Self::Session, Refusal>>;

    /// Borrows a session of the small pool through which effects leave, waiting for a free one.
    fn outside(&self) -> impl Future<Output = Result<impl DerefMut<Target = Self::Session>, Refusal>>;

    /// Subscribes to the run's channel.
    fn listen(&self) -> impl Future<Output = Result<Self::Listener, Refusal>>;

    /// The run's NOTIFY channel. Channels are database-wide, so it has the run's number in it.
    fn channel(&self) -> String;

    /// The run's number as the first key of its advisory locks, which are database-wide too.
    fn advisory_key(&self) -> i32;

    /// Ends a crashed client's backend (`pg_terminate_backend`), where the scenario asks for it.
    fn terminate(&self, pid: i32) -> impl Future<Output = Result<(), Refusal>>;
}

/// A clock: real, or the simulator's.
pub trait Clock {
    /// µs since the run began.
    fn now(&self) -> u64;

    /// Sleeps for so many µs.
    fn sleep(&self, us: u64) -> impl Future<Output = ()>;
}

/// What the outside says to someone who stands at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// Go on.
    Go,
    /// Crash here.
    Crash,
}

/// The third seam: awaited at each protocol point. It is the barrier of tests, the breakpoint of the page and the step
/// of the lab.
pub trait Points {
    /// Someone reached a point; returns when they may go on.
    fn reached(&self, who: Actor, point: Point) -> impl Future<Output = Passage>;

    /// Resolves when someone is to crash at once, wherever they stand; a statement in flight is abandoned.
    fn killed(&self, who: Actor) -> impl Future<Output = ()>;
}

impl<P: Points> Points for std::rc::Rc<P> {
    fn reached(&self, who: Actor, point: Point) -> impl Future<Output = Passage> {
        (**self).reached(who, point)
    }

    fn killed(&self, who: Actor) -> impl Future<Output = ()> {
        (**self).killed(who)
    }
}
