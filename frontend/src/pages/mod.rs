//! The pages.

pub(crate) mod lab;
pub(crate) mod runs;
