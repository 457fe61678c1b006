//! Evaluation of expressions.
