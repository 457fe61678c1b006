//! Breakpoints, single steps and kills of a run: the [`Points`] of both engines.

use super::race::Bell;
use super::{Passage, Point, Points};
use crate::event::What;
use crate::ids::{Actor, WorkerId};
use crate::wire::Intervention;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

type Tell = Box<dyn Fn(Actor, What)>;

/// The points of one run.
#[derive(Default)]
pub struct Breakpoints {
    state: RefCell<State>,
    changed: Bell,
    tell: RefCell<Option<Tell>>,
}

#[derive(Default)]
struct State {
    /// Where to stop: a worker, or everyone; a point, or each.
    breaks: BTreeSet<(Option<WorkerId>, Point)>,
    /// Who stops at the very next point.
    steps: BTreeSet<WorkerId>,
    /// Who stands, and where.
    standing: BTreeMap<WorkerId, Point>,
    /// Who is to crash.
    kills: BTreeSet<WorkerId>,
}

impl State {
    fn stops(&mut self, worker: WorkerId, point: Point) -> bool {
        let named = [Some(worker), None]
            .iter()
            .any(|who| self.breaks.contains(&(*who, point)) || self.breaks.contains(&(*who, Point::Anywhere)));
        self.steps.remove(&worker) || named
    }
}

impl Breakpoints {
    /// Points that tell their events through `tell`.
    pub fn tell_through(&self, tell: Tell) {
        *self.tell.borrow_mut() = Some(tell);
    }

    /// Does what a person asked for.
    pub fn intervene(&self, what: &Intervention) {
        let mut state = self.state.borrow_mut();
        match what {
            Intervention::Break { worker, point } => {
                state.breaks.insert((*worker, *point));
            }
            Intervention::Clear { worker, point } => {
                state.breaks.remove(&(*worker, *point));
                let gone = |one: &WorkerId, at: &Point| {
                    worker.is_none_or(|worker| worker == *one) && (*point == Point::Anywhere || point == at)
                };
                state.standing.retain(|one, at| !gone(one, at));
            }
            Intervention::Resume { worker: None } => state.standing.clear(),
            Intervention::Resume { worker: Some(worker) } => {
                state.standing.remove(worker);
            }
            Intervention::Step { worker } => {
                state.standing.remove(worker);
                state.steps.insert(*worker);
            }
            Intervention::Crash { worker } => {
                state.kills.insert(*worker);
            }
        }
        drop(state);
        self.changed.ring();
    }

    fn say(&self, who: Actor, what: What) {
        if let Some(tell) = &*self.tell.borrow() {
            tell(who, what);
        }
    }
}

impl Points for Breakpoints {
    async fn reached(&self, who: Actor, point: Point) -> Passage {
        let Some(worker) = who.worker() else { return Passage::Go };
        if !self.state.borrow_mut().stops(worker, point) {
            return Passage::Go;
        }
        self.state.borrow_mut().standing.insert(worker, point);
        self.say(who, What::PausedAt { point });
        loop {
            let seen = self.changed.count();
            if !self.state.borrow().standing.contains_key(&worker) {
                break;
            }
            self.changed.after(seen).await;
        }
        self.say(who, What::ResumedAt { point });
        Passage::Go
    }

    async fn killed(&self, who: Actor) {
        let Some(worker) = who.worker() else { return std::future::pending().await };
        loop {
            let seen = self.changed.count();
            if self.state.borrow_mut().kills.remove(&worker) {
                self.state.borrow_mut().standing.remove(&worker);
                return;
            }
            self.changed.after(seen).await;
        }
    }
}
