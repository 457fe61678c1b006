# The words of the choices. Modes and shapes also have a sentence: what a learner will see.
word-mode-naive = naive: SELECT, then UPDATE
word-mode-naive-about = Two workers read the same queued row. The second UPDATE waits, then simply overwrites: the job is done twice, and nobody gets an error.
word-mode-naive-guarded = naive, guarded
word-mode-naive-guarded-about = The UPDATE asks again whether the job is still queued. The loser changes 0 rows: no duplicate, but a wasted round.
word-mode-for-update = FOR UPDATE
word-mode-for-update-about = The convoy: one worker has the first row, and all others queue up for that same row although others are free.
word-mode-skip-locked = FOR UPDATE SKIP LOCKED
word-mode-skip-locked-about = Everyone gets a row of their own at once. Order holds only roughly, and an empty answer does not mean an empty queue.
word-mode-nowait = FOR UPDATE NOWAIT
word-mode-nowait-about = No waiting: as soon as the first row in order is locked, the claim fails with 55P03, rolls back, backs off and tries again.
word-mode-advisory = advisory lock, guarded
word-mode-advisory-about = pg_try_advisory_xact_lock in the filter: the older way to skip. The filter may lock more than the claim takes.
word-mode-advisory-unguarded = advisory lock, unguarded
word-mode-advisory-unguarded-about = Without the guard on status, a snapshot older than the other's COMMIT claims a job a second time: rare, and real.

word-shape-hold = hold: work in the transaction
word-shape-hold-about = The lock lasts as long as the work. A crash rolls everything back at once; a hang holds the row and keeps VACUUM from cleaning.
word-shape-claim-commit = claim-commit: work after COMMIT
word-shape-claim-commit-about = Short transactions: claim, commit, work, ack. A crash leaves the job in processing until a reaper brings it back.

word-order-none = none
word-order-run-at = run_at
word-order-run-at-id = run_at, id
word-order-priority-run-at-id = priority, run_at, id

word-lock-strength-update = FOR UPDATE
word-lock-strength-no-key-update = FOR NO KEY UPDATE

word-isolation-read-committed = READ COMMITTED
word-isolation-repeatable-read = REPEATABLE READ
word-isolation-serializable = SERIALIZABLE

word-arrival-burst = all at once
word-arrival-constant = steady
word-arrival-poisson = at random (Poisson)

word-autovacuum-off = off
word-autovacuum-default = as the server has it
word-autovacuum-tuned = tuned for a queue

word-sleep-after-every = every fetch
word-sleep-after-empty = an empty fetch

word-wake-up-poll = poll interval
word-wake-up-notify = NOTIFY
word-wake-up-both = whichever comes first

word-crash-method-close-socket = the socket closes
word-crash-method-terminate-backend = the backend is ended too

word-work-constant = constant
word-work-uniform = uniform
word-work-exponential = exponential
word-work-lognormal = lognormal

word-crash-point-before-claim = before the claim
word-crash-point-after-claim = after the claim, before its COMMIT
word-crash-point-before-work = before the work
word-crash-point-in-work = in the middle of the work
word-crash-point-after-effect = after the effect, before the ack
word-crash-point-after-ack = after the ack, before its COMMIT
word-crash-point-any = any point after a claim

word-retry-backoff-constant = always the same
word-retry-backoff-exponential = doubles

word-fence-off = none
word-fence-owner = owner
word-fence-owner-attempt = owner and attempt
