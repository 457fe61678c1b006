//! The columns of PostgreSQL's own views that the simulator shows (manual 15, 54.12, 28.2.3, F.30, 28.2.12).

use crate::bound::SystemView;
use crate::value::{Scalar, Type};

/// Their names and types, in PostgreSQL's order.
pub fn view_columns(view: SystemView) -> Vec<(String, Type)> {
    use Scalar::*;
    let columns: &[(&str, Scalar)] = match view {
        SystemView::Locks => &[
            ("locktype", Text),
            ("database", Int8),
            ("relation", Int8),
            ("page", Int4),
            ("tuple", Int2),
            ("virtualxid", Text),
            ("transactionid", Xid),
            ("classid", Int8),
            ("objid", Int8),
            ("objsubid", Int2),
            ("virtualtransaction", Text),
            ("pid", Int4),
            ("mode", Text),
            ("granted", Bool),
            ("fastpath", Bool),
            ("waitstart", Timestamptz),
        ],
        SystemView::Activity => &[
            ("datid", Int8),
            ("datname", Text),
            ("pid", Int4),
            ("application_name", Text),
            ("backend_start", Timestamptz),
            ("xact_start", Timestamptz),
            ("query_start", Timestamptz),
            ("state_change", Timestamptz),
            ("wait_event_type", Text),
            ("wait_event", Text),
            ("state", Text),
            ("backend_xid", Xid),
            ("backend_xmin", Xid),
            ("query", Text),
            ("backend_type", Text),
        ],
        SystemView::RowLocks(_) => {
            return [
                ("locked_row", Type::of(Tid)),
                ("locker", Type::of(Xid)),
                ("multi", Type::of(Bool)),
                ("xids", Type::array_of(Xid)),
                ("modes", Type::array_of(Text)),
                ("pids", Type::array_of(Int4)),
            ]
            .map(|(name, ty)| (name.to_owned(), ty))
            .into();
        }
        SystemView::Tables => &[
            ("relid", Int8),
            ("schemaname", Text),
            ("relname", Text),
            ("n_tup_ins", Int8),
            ("n_tup_upd", Int8),
            ("n_tup_del", Int8),
            ("n_tup_hot_upd", Int8),
            ("n_live_tup", Int8),
            ("n_dead_tup", Int8),
            ("vacuum_count", Int8),
            ("autovacuum_count", Int8),
        ],
    };
    columns.iter().map(|(name, scalar)| ((*name).to_owned(), Type::of(*scalar))).collect()
}
