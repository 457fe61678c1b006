//! Waiting for the first of two futures, and waking many sleepers, without a runtime.
//!
//! The order is fixed (left first), so that a deterministic executor repeats a run exactly.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Poll, Waker};

/// What came first.
#[derive(Debug, PartialEq, Eq)]
pub enum First<A, B> {
    /// The left one.
    Left(A),
    /// The right one.
    Right(B),
}

/// Runs both until one is done; the left one wins a tie. The other is dropped.
pub async fn race<A, B>(left: impl Future<Output = A>, right: impl Future<Output = B>) -> First<A, B> {
    let (mut left, mut right) = (pin!(left), pin!(right));
    poll_fn(|cx| {
        if let Poll::Ready(a) = left.as_mut().poll(cx) {
            return Poll::Ready(First::Left(a));
        }
        right.as_mut().poll(cx).map(First::Right)
    })
    .await
}

/// A bell that can be rung for everyone who waits. A ring between looking and sleeping is not lost: the sleeper hands in
/// the count that it saw before it looked.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Cell<u64>,
    sleepers: RefCell<Vec<Waker>>,
}

impl Bell {
    /// How often it was rung.
    pub fn count(&self) -> u64 {
        self.rung.get()
    }

    /// Wakes everyone.
    pub fn ring(&self) {
        self.rung.set(self.rung.get() + 1);
        for sleeper in self.sleepers.take() {
            sleeper.wake();
        }
    }

    /// Waits for a ring after the `seen`-th.
    pub async fn after(&self, seen: u64) {
        poll_fn(|cx| {
            if self.rung.get() > seen {
                return Poll::Ready(());
            }
            let mut sleepers = self.sleepers.borrow_mut();
            if !sleepers.iter().any(|sleeper| sleeper.will_wake(cx.waker())) {
                sleepers.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::task::Context;

    fn poll_once<T>(future: impl Future<Output = T>) -> Poll<T> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn the_left_one_wins_a_tie() {
        assert_eq!(poll_once(race(ready(1), ready(2))), Poll::Ready(First::Left(1)));
        assert_eq!(poll_once(race(pending::<()>(), ready(2))), Poll::Ready(First::Right(2)));
        assert_eq!(poll_once(race(pending::<()>(), pending::<()>())), Poll::Pending);
    }

    #[test]
    fn a_ring_before_the_sleep_is_not_lost() {
        let bell = Bell::default();
        let seen = bell.count();
        assert_eq!(poll_once(bell.after(seen)), Poll::Pending);
        bell.ring();
        assert_eq!(poll_once(bell.after(seen)), Poll::Ready(()));
        assert_eq!(poll_once(bell.after(bell.count())), Poll::Pending);
    }
}
