//! Deadlock detection. PostgreSQL 15: deadlock.c and storage/lmgr/README.
//!
//! A session that waits has *hard* edges to the holders that it conflicts with, and *soft* edges to those before it in the
//! queue. A cycle of hard edges is a deadlock. One with a soft edge may be cured by letting the one behind go first; the
//! search tries that before it gives up.

use super::manager::Manager;
use super::{SessionId, Tag, conflict};

/// What the check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No cycle through this session.
    Fine,
    /// None any more once these queues stand in these orders.
    Reorder(Vec<(Tag, Vec<SessionId>)>),
    /// A cycle: who waits for whom, beginning with the session that was asked about.
    Deadlock(Vec<SessionId>),
}

/// A wait for someone before in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Soft {
    behind: SessionId,
    before: SessionId,
    tag: Tag,
}

enum Cycle {
    None,
    Hard(Vec<SessionId>),
    Soft(Vec<Soft>),
}

/// Checks whether `session`, which waits, is in a deadlock. `owner` says whose transaction an id is.
pub fn check(manager: &Manager, session: SessionId, owner: &dyn Fn(Tag) -> Option<SessionId>) -> Verdict {
    let graph = Graph { manager, owner };
    match graph.solve(session, &mut Vec::new()) {
        Ok(swaps) if swaps.is_empty() => Verdict::Fine,
        Ok(swaps) => Verdict::Reorder(graph.orders(&swaps).unwrap_or_default()),
        Err(cycle) => Verdict::Deadlock(cycle),
    }
}

struct Graph<'a> {
    manager: &'a Manager,
    owner: &'a dyn Fn(Tag) -> Option<SessionId>,
}

impl Graph<'_> {
    /// The swaps under which there is no cycle, tried depth first; or the hard cycle.
    fn solve(&self, start: SessionId, swaps: &mut Vec<Soft>) -> Result<Vec<Soft>, Vec<SessionId>> {
        let Some(orders) = self.orders(swaps) else { return Err(vec![start]) };
        let mut cycle = Cycle::None;
        // The queues that were changed must not have made a new cycle elsewhere.
        for waiter in swaps.iter().flat_map(|swap| [swap.before, swap.behind]).chain([start]) {
            match self.find(waiter, &orders) {
                Cycle::None => {}
                found => {
                    cycle = found;
                    break;
                }
            }
        }
        match cycle {
            Cycle::None => Ok(swaps.clone()),
            Cycle::Hard(cycle) => Err(cycle),
            Cycle::Soft(edges) => {
                let mut last = vec![start];
                for edge in edges {
                    if swaps.len() > 16 || swaps.contains(&edge) {
                        continue;
                    }
                    swaps.push(edge);
                    match self.solve(start, swaps) {
                        Ok(found) => return Ok(found),
                        Err(cycle) => last = cycle,
                    }
                    swaps.pop();
                }
                Err(last)
            }
        }
    }

    /// The queues with the swaps made: each `behind` before its `before`, all else as it stands. None if they contradict.
    fn orders(&self, swaps: &[Soft]) -> Option<Vec<(Tag, Vec<SessionId>)>> {
        let mut tags: Vec<Tag> = swaps.iter().map(|swap| swap.tag).collect();
        tags.dedup();
        let mut orders = Vec::new();
        for tag in tags {
            let mut left: Vec<SessionId> = self.manager.queue(tag).iter().map(|waiter| waiter.session).collect();
            let mut order = Vec::new();
            while !left.is_empty() {
                let next = left.iter().position(|one| {
                    !swaps.iter().any(|swap| swap.tag == tag && swap.before == *one && left.contains(&swap.behind))
                })?;
                order.push(left.remove(next));
            }
            orders.push((tag, order));
        }
        Some(orders)
    }

    fn find(&self, start: SessionId, orders: &[(Tag, Vec<SessionId>)]) -> Cycle {
        let mut path = Vec::new();
        let mut soft = Vec::new();
        let mut seen = Vec::new();
        if self.walk(start, start, orders, &mut path, &mut soft, &mut seen) {
            if soft.is_empty() { Cycle::Hard(path) } else { Cycle::Soft(soft) }
        } else {
            Cycle::None
        }
    }

    /// Depth first from `at`; true when `start` is reached again, with the path and its soft edges left in place.
    fn walk(
        &self,
        start: SessionId,
        at: SessionId,
        orders: &[(Tag, Vec<SessionId>)],
        path: &mut Vec<SessionId>,
        soft: &mut Vec<Soft>,
        seen: &mut Vec<SessionId>,
    ) -> bool {
        if seen.contains(&at) {
            return at == start && !path.is_empty();
        }
        seen.push(at);
        path.push(at);
        if let Some((tag, mode)) = self.manager.waiting(at) {
            let holders: Vec<SessionId> = match (self.owner)(tag) {
                Some(owner) => vec![owner],
                None => self
                    .manager
                    .holders(tag)
                    .iter()
                    .filter(|(_, held)| conflict(mode, *held))
                    .map(|(other, _)| *other)
                    .collect(),
            };
            for holder in holders.into_iter().filter(|holder| *holder != at) {
                if self.walk(start, holder, orders, path, soft, seen) {
                    return true;
                }
            }
            let queue = self.manager.queue(tag);
            let order: Vec<SessionId> = match orders.iter().find(|(other, _)| *other == tag) {
                Some((_, order)) => order.clone(),
                None => queue.iter().map(|waiter| waiter.session).collect(),
            };
            for before in order.into_iter().take_while(|before| *before != at) {
                let conflicts = queue.iter().any(|waiter| waiter.session == before && conflict(mode, waiter.mode));
                if conflicts {
                    soft.push(Soft { behind: at, before, tag });
                    if self.walk(start, before, orders, path, soft, seen) {
                        return true;
                    }
                    soft.pop();
                }
            }
        }
        path.pop();
        false
    }
}
