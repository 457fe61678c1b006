//! Waiting for the first of two futures, and waking many sleepers, without a runtime.
//!
//! The order is fixed (left first), so that a deterministic executor repeats a run exactly.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

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
    /// One place a sleeper, however often it is polled and by whichever waker.
    sleepers: RefCell<BTreeMap<u64, Waker>>,
    places: Cell<u64>,
}

impl Bell {
    /// How often it was rung.
    pub fn count(&self) -> u64 {
        self.rung.get()
    }

    /// Wakes everyone.
    pub fn ring(&self) {
        self.rung.set(self.rung.get() + 1);
        for sleeper in self.sleepers.take().into_values() {
            sleeper.wake();
        }
    }

    /// Waits for a ring after the `seen`-th.
    pub fn after(&self, seen: u64) -> Sleep<'_> {
        let place = self.places.get();
        self.places.set(place + 1);
        Sleep { bell: self, seen, place }
    }
}

/// The wait for a [`Bell`]; dropped, it leaves its place.
#[derive(Debug)]
pub struct Sleep<'a> {
    bell: &'a Bell,
    seen: u64,
    place: u64,
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.bell.rung.get() > self.seen {
            return Poll::Ready(());
        }
        let mut sleepers = self.bell.sleepers.borrow_mut();
        match sleepers.get_mut(&self.place) {
            Some(waker) => waker.clone_from(cx.waker()),
            None => {
                sleepers.insert(self.place, cx.waker().clone());
            }
        }
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        self.bell.sleepers.borrow_mut().remove(&self.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

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
    fn a_sleeper_has_one_place_however_often_it_is_polled_and_leaves_it() {
        let bell = Bell::default();
        let mut sleep = pin!(bell.after(0));
        for _ in 0..3 {
            // A waker of its own each time.
            let waker = Waker::from(std::sync::Arc::new(Idle));
            assert_eq!(sleep.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Pending);
        }
        assert_eq!(bell.sleepers.borrow().len(), 1);
        assert_eq!(poll_once(bell.after(0)), Poll::Pending);
        assert_eq!(bell.sleepers.borrow().len(), 1, "the dropped one is gone");
    }

    struct Idle;

    impl std::task::Wake for Idle {
        fn wake(self: std::sync::Arc<Self>) {}
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
