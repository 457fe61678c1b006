//! A virtual clock and an executor that polls its tasks in a fixed order: the same tasks give the same run.

use rowlock_shared::program::Clock;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

#[derive(Default)]
struct Timers {
    now: Cell<u64>,
    count: Cell<u64>,
    // By time, then in the order in which they were set.
    set: RefCell<BTreeMap<(u64, u64), Waker>>,
}

/// Time that stands still while anyone can move.
#[derive(Clone, Default)]
pub(crate) struct VirtualClock(Rc<Timers>);

impl VirtualClock {
    /// Goes on to the next timer; false if there is none.
    fn advance(&self) -> bool {
        let first = self.0.set.borrow_mut().pop_first();
        if let Some(((at, _), waker)) = first {
            self.0.now.set(at);
            waker.wake();
            return true;
        }
        false
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> u64 {
        self.0.now.get()
    }

    fn sleep(&self, us: u64) -> impl Future<Output = ()> {
        let number = self.0.count.get();
        self.0.count.set(number + 1);
        Sleep { timers: self.0.clone(), key: (self.0.now.get() + us, number) }
    }
}

struct Sleep {
    timers: Rc<Timers>,
    key: (u64, u64),
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.timers.now.get() >= self.key.0 {
            return Poll::Ready(());
        }
        self.timers.set.borrow_mut().insert(self.key, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.timers.set.borrow_mut().remove(&self.key);
    }
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Task {
    woken: Arc<Flag>,
    future: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

/// The tasks, in the order in which they are polled.
pub(crate) struct Executor {
    clock: VirtualClock,
    tasks: Vec<Task>,
}

impl Executor {
    pub(crate) fn new(clock: VirtualClock) -> Executor {
        Executor { clock, tasks: Vec::new() }
    }

    pub(crate) fn spawn(&mut self, future: impl Future<Output = ()> + 'static) {
        self.tasks.push(Task { woken: Arc::new(Flag(AtomicBool::new(true))), future: Some(Box::pin(future)) });
    }

    /// Runs until `over`; panics if nobody can ever move again before that.
    pub(crate) fn run_until(&mut self, over: impl Fn() -> bool) {
        loop {
            let mut moved = false;
            for task in &mut self.tasks {
                if over() {
                    return;
                }
                if !task.woken.0.swap(false, Ordering::Relaxed) {
                    continue;
                }
                moved = true;
                let waker = Waker::from(task.woken.clone());
                let done = task.future.as_mut().map(|future| future.as_mut().poll(&mut Context::from_waker(&waker)));
                if done == Some(Poll::Ready(())) {
                    task.future = None;
                }
            }
            if over() {
                return;
            }
            assert!(moved || self.clock.advance(), "nobody can move and no timer is set");
        }
    }
}
