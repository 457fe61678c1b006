//! The one validation of a scenario, and reading and writing its fields by name.

use super::{Arrival, KNOBS, Kind, Knob, Scenario, Unit};
use crate::text::Message;
use serde_json::{Map, Value};

/// What is wrong with a scenario: the field, the value and the bound that it breaks.
#[derive(Debug, Clone, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("{field}: {value}: {problem:?}")]
pub struct KnobError {
    /// The knob's name.
    pub field: String,
    /// The value as it was given.
    pub value: String,
    /// What it should have been.
    pub problem: Problem,
}

/// Why a value is refused.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Problem {
    /// There is no such knob.
    UnknownField,
    /// The document is no JSON object.
    NotAnObject,
    /// A number outside its bounds.
    OutOfRange {
        /// Least value.
        min: String,
        /// Greatest value.
        max: String,
    },
    /// Not a whole number.
    NotWhole {
        /// Least value.
        min: String,
        /// Greatest value.
        max: String,
    },
    /// Not a number.
    NotANumber {
        /// Least value.
        min: String,
        /// Greatest value.
        max: String,
    },
    /// Neither true nor false.
    NotASwitch,
    /// Not one of these words.
    NotAWord {
        /// The words, joined by " | ".
        words: String,
    },
    /// Fail, hang and crash together are likelier than 1.
    ProbabilitiesAboveOne,
    /// The jobs would not have arrived by the time limit.
    ArrivesTooLate {
        /// When the last one is expected, in ms of real time.
        last_ms: u64,
        /// The time limit in ms.
        limit_ms: u64,
    },
    /// The run needs more connections than the server has free.
    TooManyConnections {
        /// What the run needs.
        needed: u32,
        /// What the server has left.
        free: u32,
    },
}

impl KnobError {
    pub(crate) fn new(field: &str, value: impl ToString, problem: Problem) -> KnobError {
        KnobError { field: field.into(), value: value.to_string(), problem }
    }

    /// The sentence for a reader, the same on the page and from the server.
    pub fn message(&self) -> Message {
        let m = |key| Message::new(key).with("field", self.field.as_str()).with("value", self.value.as_str());
        match &self.problem {
            Problem::UnknownField => m("error-knob-unknown"),
            Problem::NotAnObject => m("error-knob-not-object"),
            Problem::OutOfRange { min, max } => {
                m("error-knob-range").with("min", min.as_str()).with("max", max.as_str())
            }
            Problem::NotWhole { min, max } => m("error-knob-whole").with("min", min.as_str()).with("max", max.as_str()),
            Problem::NotANumber { min, max } => {
                m("error-knob-number").with("min", min.as_str()).with("max", max.as_str())
            }
            Problem::NotASwitch => m("error-knob-switch"),
            Problem::NotAWord { words } => m("error-knob-word").with("words", words.as_str()),
            Problem::ProbabilitiesAboveOne => m("error-knob-probabilities"),
            Problem::ArrivesTooLate { last_ms, limit_ms } => {
                m("error-knob-late").with("last", *last_ms).with("limit", *limit_ms)
            }
            Problem::TooManyConnections { needed, free } => {
                m("error-knob-connections").with("needed", u64::from(*needed)).with("free", u64::from(*free))
            }
        }
    }
}

/// A whole number as JSON writes it, without a trailing `.0`.
fn show(number: f64) -> String {
    format!("{number}")
}

fn check_value(knob: &Knob, value: &Value) -> Result<(), KnobError> {
    let fail = |problem| {
        let given = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Err(KnobError::new(knob.name, given, problem))
    };
    match knob.kind {
        Kind::Switch if value.is_boolean() => Ok(()),
        Kind::Switch => fail(Problem::NotASwitch),
        Kind::Choice(words) => match value.as_str() {
            Some(word) if words.contains(&word) => Ok(()),
            _ => fail(Problem::NotAWord { words: words.join(" | ") }),
        },
        Kind::Whole { min, max, .. } => {
            let (least, most) = (min.to_string(), max.to_string());
            match (value.as_u64(), value.as_f64()) {
                (Some(n), _) if (min..=max).contains(&n) => Ok(()),
                (None, Some(x)) if libm::floor(x) != x => fail(Problem::NotWhole { min: least, max: most }),
                (_, Some(_)) => fail(Problem::OutOfRange { min: least, max: most }),
                _ => fail(Problem::NotANumber { min: least, max: most }),
            }
        }
        Kind::Real { min, max, .. } => match value.as_f64() {
            Some(x) if (min..=max).contains(&x) => Ok(()),
            Some(_) => fail(Problem::OutOfRange { min: show(min), max: show(max) }),
            None => fail(Problem::NotANumber { min: show(min), max: show(max) }),
        },
    }
}

impl Scenario {
    /// Reads a scenario from JSON: fields left out have their defaults.
    ///
    /// # Errors
    /// Every field that is unknown or out of bounds, in the order of the form; then what is wrong between fields.
    pub fn from_value(value: &Value) -> Result<Scenario, Vec<KnobError>> {
        let Value::Object(fields) = value else {
            return Err(vec![KnobError::new("scenario", value, Problem::NotAnObject)]);
        };
        let unknown = fields.keys().filter(|name| Knob::named(name).is_none());
        let mut errors: Vec<KnobError> =
            unknown.map(|name| KnobError::new(name, &fields[name.as_str()], Problem::UnknownField)).collect();
        for knob in KNOBS {
            if let Some(value) = fields.get(knob.name) {
                errors.extend(check_value(knob, value).err());
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let scenario: Scenario = serde_json::from_value(value.clone())
            .map_err(|error| vec![KnobError::new("scenario", error, Problem::NotAnObject)])?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Checks a scenario that was put together in code.
    ///
    /// # Errors
    /// As [`Scenario::from_value`].
    pub fn check(&self) -> Result<(), Vec<KnobError>> {
        let fields = self.fields();
        let mut errors: Vec<KnobError> =
            KNOBS.iter().filter_map(|knob| check_value(knob, &fields[knob.name]).err()).collect();
        let ends = self.fail_probability + self.hang_probability + self.crash_probability;
        if ends > 1.0 + 1e-9 {
            errors.push(KnobError::new("crash_probability", self.crash_probability, Problem::ProbabilitiesAboveOne));
        }
        if self.arrival != Arrival::Burst && errors.is_empty() {
            let last_ms = self.real_us(f64::from(self.jobs) / self.arrival_rate * 1000.0) / 1000;
            let limit_ms = u64::from(self.time_limit_ms);
            if last_ms > limit_ms {
                errors.push(KnobError::new(
                    "arrival_rate",
                    self.arrival_rate,
                    Problem::ArrivesTooLate { last_ms, limit_ms },
                ));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Every field by name.
    pub fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            // A flat record of numbers, words and switches always becomes an object.
            _ => Map::new(),
        }
    }

    /// A field's value as text: what [`Scenario::with`] reads.
    pub fn text_of(&self, name: &str) -> String {
        match self.fields().get(name) {
            Some(Value::String(word)) => word.clone(),
            Some(Value::Number(n)) => n.as_u64().map_or_else(|| show(n.as_f64().unwrap_or(0.0)), |n| n.to_string()),
            Some(value) => value.to_string(),
            None => String::new(),
        }
    }

    /// The scenario with one field set from text.
    ///
    /// # Errors
    /// An unknown field, or a value that the knob does not take. Rules between fields are [`Scenario::check`]'s.
    pub fn with(&self, name: &str, text: &str) -> Result<Scenario, KnobError> {
        let knob = Knob::named(name).ok_or_else(|| KnobError::new(name, text, Problem::UnknownField))?;
        let text = text.trim();
        let value = match knob.kind {
            Kind::Switch => match text {
                "true" | "on" => Value::Bool(true),
                "false" | "off" => Value::Bool(false),
                other => Value::from(other),
            },
            Kind::Choice(_) => Value::from(text),
            Kind::Whole { unit: Unit::Plain, .. } => text.parse::<u64>().map_or(Value::from(text), Value::from),
            Kind::Whole { .. } | Kind::Real { .. } => {
                let whole = text.parse::<u64>().ok().map(Value::from);
                let real = || text.parse::<f64>().ok().filter(|x| x.is_finite()).map(Value::from);
                whole.or_else(real).unwrap_or_else(|| Value::from(text))
            }
        };
        check_value(knob, &value)?;
        let mut fields = self.fields();
        fields.insert(name.to_owned(), value);
        serde_json::from_value(Value::Object(fields))
            .map_err(|error| KnobError::new(name, format!("{text} ({error})"), Problem::UnknownField))
    }
}
