//! Public cases about row locks in job queues.
