//! Functions that act on the session or on shared state.

use super::Cx;
use crate::bound::{Action, LockMode};
use crate::engine::Notification;
use crate::error::SqlError;
use crate::expr::Stop;
use crate::locks::manager::Span;
use crate::locks::{Key, SessionId, Tag};
use crate::value::Datum;
use std::rc::Rc;

/// Does what a function does, once.
pub fn act(cx: &mut Cx<'_>, action: Action, args: &[Datum]) -> Result<Datum, Stop> {
    if args.iter().any(Datum::is_null) {
        return Ok(Datum::Null);
    }
    let me = cx.me;
    Ok(match action {
        Action::AdvisoryLock { shared, xact, attempt } => {
            let tag = Tag::Advisory(key(args)?);
            let mode = if shared { LockMode::Share } else { LockMode::Exclusive };
            let span = if xact { Span::Transaction(cx.engine.session(me).depth()) } else { Span::Session };
            if attempt {
                return Ok(Datum::Bool(cx.engine.locks.try_acquire(me, tag, mode, span)));
            }
            cx.engine.acquire(me, tag, mode, span, None)?;
            Datum::Int(0)
        }
        Action::AdvisoryUnlock { shared } => {
            let mode = if shared { LockMode::Share } else { LockMode::Exclusive };
            Datum::Bool(cx.engine.locks.release(me, Tag::Advisory(key(args)?), mode, true))
        }
        Action::AdvisoryUnlockAll => {
            cx.engine.locks.release_session(me);
            Datum::Int(0)
        }
        Action::Notify => {
            let pid = cx.engine.session(me).pid;
            let text = |at: usize| match args.get(at) {
                Some(Datum::Text(text)) => text.to_string(),
                _ => String::new(),
            };
            let notification = Notification { channel: text(0), payload: text(1), pid };
            cx.engine.transaction_mut(me).notifications.push(notification);
            Datum::Int(0)
        }
        Action::BackendPid => Datum::Int(i64::from(cx.engine.session(me).pid)),
        Action::CurrentXid => {
            cx.engine.write_xid(me);
            Datum::Int(cx.engine.own(me).map_or(0, |xid| i64::from(xid.0)))
        }
        Action::CurrentXidIfAssigned => cx.engine.own(me).map_or(Datum::Null, |xid| Datum::Int(i64::from(xid.0))),
        Action::Terminate | Action::Cancel => {
            let found = int(args, 0).and_then(|pid| session_of(cx, pid));
            if let Some(session) = found {
                cx.engine.signals.push((session, action == Action::Terminate));
            }
            Datum::Bool(found.is_some())
        }
        Action::BlockingPids => {
            let pids = match int(args, 0).and_then(|pid| session_of(cx, pid)) {
                Some(session) => cx.engine.blockers(session),
                None => Vec::new(),
            };
            Datum::Array(Rc::new(pids.into_iter().map(|id| Datum::Int(i64::from(cx.engine.session(id).pid))).collect()))
        }
        Action::Sleep => {
            let seconds = match &args[0] {
                Datum::Float(seconds) => *seconds,
                Datum::Int(seconds) => *seconds as f64,
                _ => 0.0,
            };
            let now = cx.engine.now;
            let session = cx.engine.session_mut(me);
            match session.sleeping {
                Some(until) if until <= now => session.sleeping = None,
                Some(_) => return Err(Stop::Blocked),
                None => {
                    session.sleeping = Some(now + (seconds.max(0.0) * 1e6) as i64);
                    return Err(Stop::Blocked);
                }
            }
            Datum::Int(0)
        }
        Action::CurrentSetting => {
            let Datum::Text(name) = &args[0] else { return Ok(Datum::Null) };
            let name = name.to_lowercase();
            Datum::Text(crate::settings::show(cx.engine.session(me), &name)?.into())
        }
        Action::SetConfig => {
            let (Datum::Text(name), Datum::Text(value)) = (&args[0], &args[1]) else { return Ok(Datum::Null) };
            let local = args.get(2).is_some_and(Datum::is_true);
            crate::settings::set(cx.engine, me, &name.to_lowercase(), Some(value), local)?;
            args[1].clone()
        }
        Action::Random => {
            // xorshift64*: the database's own sequence, the same everywhere.
            let mut x = cx.engine.random;
            x ^= x >> 12;
            x ^= x << 25;
            x ^= x >> 27;
            cx.engine.random = x;
            Datum::Float((x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64)
        }
    })
}

fn int(args: &[Datum], at: usize) -> Option<i64> {
    match args.get(at) {
        Some(Datum::Int(n)) => Some(*n),
        _ => None,
    }
}

fn key(args: &[Datum]) -> Result<Key, SqlError> {
    match args {
        [Datum::Int(key)] => Ok(Key::One(*key)),
        [Datum::Int(a), Datum::Int(b)] => match (i32::try_from(*a), i32::try_from(*b)) {
            (Ok(a), Ok(b)) => Ok(Key::Two(a, b)),
            _ => Err(SqlError::new("22003", "integer out of range")),
        },
        _ => Err(SqlError::new("42883", "an advisory key is one bigint or two ints")),
    }
}

fn session_of(cx: &Cx<'_>, pid: i64) -> Option<SessionId> {
    let at = cx
        .engine
        .sessions
        .iter()
        .position(|session| session.as_ref().is_some_and(|session| i64::from(session.pid) == pid))?;
    Some(SessionId(at as u32))
}
