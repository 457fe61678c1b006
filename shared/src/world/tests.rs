//! The fold: what a picture must never show.

use super::*;
