//! Settings of a session (SET, SHOW): those that change what the simulator does. Others are refused, not ignored.

use crate::engine::Engine;
use crate::engine::session::{Session, parse_duration};
use crate::error::SqlError;
use crate::locks::SessionId;

/// Settings in milliseconds, with what PostgreSQL ships.
const DURATIONS: [(&str, &str); 4] = [
    ("lock_timeout", "0"),
    ("statement_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("deadlock_timeout", "1s"),
];

/// Settings that are taken and shown and change nothing here, because what they steer does not exist in the simulator.
const INERT: [(&str, &str); 6] = [
    ("client_min_messages", "notice"),
    ("application_name", ""),
    ("search_path", "\"$user\", public"),
    ("synchronous_commit", "on"),
    ("timezone", "UTC"),
    ("client_connection_check_interval", "0"),
];

const LEVELS: [&str; 4] = ["read committed", "read uncommitted", "repeatable read", "serializable"];

/// Sets a setting for the session, or (`local`) for the transaction; no value is the default.
pub fn set(engine: &mut Engine, me: SessionId, name: &str, value: Option<&str>, local: bool) -> Result<(), SqlError> {
    let value = value.filter(|value| !value.eq_ignore_ascii_case("default")).map(str::to_owned);
    if let Some(value) = &value {
        check(name, value)?;
    } else if !known(name) {
        return Err(unknown(name));
    }
    let session = engine.session_mut(me);
    match &value {
        Some(value) => _ = session.settings.insert(name.to_owned(), value.clone()),
        None => _ = session.settings.remove(name),
    }
    if name == "application_name" && !local {
        session.name = value.clone().unwrap_or_default();
    }
    if !local && let Some(transaction) = &mut session.transaction {
        transaction.settings_kept.push((name.to_owned(), value));
    }
    Ok(())
}

fn known(name: &str) -> bool {
    DURATIONS.iter().chain(&INERT).any(|(known, _)| *known == name)
        || matches!(name, "default_transaction_isolation" | "transaction_isolation")
}

fn unknown(name: &str) -> SqlError {
    SqlError::outside_subset(format!("the setting \"{name}\""))
}

fn check(name: &str, value: &str) -> Result<(), SqlError> {
    if DURATIONS.iter().any(|(known, _)| *known == name) {
        return parse_duration(value).map(|_| ());
    }
    if name == "default_transaction_isolation" {
        let known = LEVELS.contains(&value.to_lowercase().as_str());
        return known
            .then_some(())
            .ok_or_else(|| SqlError::new("22023", format!("invalid value for \"{name}\": \"{value}\"")));
    }
    if known(name) { Ok(()) } else { Err(unknown(name)) }
}

/// A setting's value.
pub fn show(session: &Session, name: &str) -> Result<String, SqlError> {
    if name == "transaction_isolation" {
        use crate::bound::Isolation::*;
        let level = session.transaction.as_ref().map_or(ReadCommitted, |transaction| transaction.isolation);
        return Ok(match level {
            ReadCommitted => "read committed",
            RepeatableRead => "repeatable read",
            Serializable => "serializable",
        }
        .to_owned());
    }
    if let Some(value) = session.settings.get(name) {
        return Ok(value.clone());
    }
    let shipped = DURATIONS.iter().chain(&INERT).find(|(known, _)| *known == name).map(|(_, value)| *value);
    match shipped {
        Some(value) => Ok(value.to_owned()),
        None if name == "default_transaction_isolation" => Ok("read committed".to_owned()),
        None => Err(unknown(name)),
    }
}
