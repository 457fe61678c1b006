# Names of things that the world is made of.
state-queued = queued
state-processing = processing
state-done = done
state-failed = dead letter

empty-queue-empty = the queue is empty
empty-all-locked = every queued job is locked by another
empty-not-yet-due = queued jobs are there, none of them due
empty-arrived-after-snapshot = jobs came after the claim's snapshot
empty-unknown = nobody looked

end-quiescent = Nothing can change any more.
end-time-limit = The time limit was reached.
end-stopped = Stopped by hand.
end-database-lost = The database went away.
end-event-limit = The limit of events for one run was reached.
end-failed = The run met an error that it cannot handle.

run-preparing = preparing
run-running = running
run-stopping = stopping
run-ended = ended

point-before-claim = before the claim
point-after-select = between SELECT and UPDATE
point-after-claim = after the claim, before its COMMIT
point-before-work = before the work
point-in-work = in the middle of the work
point-after-effect = after the effect, before the ack
point-after-ack = after the ack, before its COMMIT
point-anywhere = wherever it was

evidence-executed = executed
evidence-executed-about = A statement returned it, or the program itself did it.
evidence-observed = observed
evidence-observed-about = Read from pg_locks, pg_stat_activity, pgrowlocks or pg_stat_user_tables.
evidence-simulated = simulated
evidence-simulated-about = The simulator's.

wait-transaction-id = first in line: waits for the holder's transaction to end
wait-tuple = in line behind another waiter of the row
wait-relation = waits for a table lock
wait-advisory = waits for an advisory lock
wait-other = waits for another kind of lock

# Someone inside a sentence, and (-start) at its beginning. Workers are letters.
actor-worker = worker { $letter }
actor-producer = the producer
actor-producer-start = The producer
actor-reaper = the reaper
actor-reaper-start = The reaper
actor-heartbeat = the heartbeat
actor-heartbeat-start = The heartbeat
actor-listener = the listener
actor-listener-start = The listener
actor-bystander = the bystander
actor-bystander-start = The bystander
actor-outside = the outside
actor-outside-start = The outside
actor-observer = the observer
actor-observer-start = The observer
actor-run = the run
actor-run-start = The run
actor-stranger = a stranger (pid { $pid })
actor-stranger-start = A stranger (pid { $pid })

# Lists and durations.
list-and = { $left } and { $right }
list-comma = { $left }, { $right }
duration-us = { $n } µs
duration-ms = { $n } ms
duration-s = { $n } s
duration-s-tenths = { $n }.{ $tenths } s
duration-min = { $n } min { $s } s
