# The page.
page-close = Close
page-skip = To the content
page-nav = Pages
page-tab-lab = Lab
page-tab-runs = Runs
page-language = Language
page-help = Keys and signs
page-theme-about = Colours: as the system has it, light, dark
page-theme-auto = Auto
page-theme-light = Light
page-theme-dark = Dark

# The server.
page-server-asking = Looking for the server…
page-server-none = No server
page-server-down = No database
page-server-live = Live
page-server-notices = Notices
page-server-embedded = Rowlock's own private cluster on this machine. It comes and goes with the server.
page-server-own = Your own server, from DATABASE_URL. Rowlock touches only schemas that it made.
page-server-fast = Runs with the “fast, not durable” settings: no crash of the machine is survived.
page-unreachable = The server did not answer ({ $why }). Is it still running?
page-no-server = No Rowlock server answers here. A recording can be opened all the same, under Runs.
page-no-database = The database is not reachable right now. The server brings it back if it can; runs start again then.
page-database-lost = The database went away in the middle of this run. All that was known until then is kept and shown.
page-run-gone = The server does not know this run any more. What was seen of it until then is still shown.
page-wrong-version = Page and server are of different versions. Reload the page.
page-unreadable = A message of the server could not be read ({ $why }). Reload the page; if that does not help, page and server are of different versions.
page-dropped = This page was too slow for the stream: { $count ->
    [one] { $count } event was
   *[other] { $count } events were
} skipped in the log. The picture and the counters are complete.

# Starting and stopping.
page-controls = Run
page-run = Run
page-stop = Stop
page-preset = Preset
page-preset-own = my own
page-mode = Claim mode
page-cannot-run = Cannot run:
page-status-idle = ready
page-status-starting = starting…
page-status-running = running
page-status-stopping = stopping…
page-status-reconnecting = reconnecting…
page-status-replaying = replaying
page-status-ended = ended
page-status-gone = lost
page-try = try { $n }; the run itself goes on
page-mode-naive = naive
page-mode-naive-guarded = naive, guarded
page-mode-for-update = FOR UPDATE
page-mode-skip-locked = SKIP LOCKED
page-mode-nowait = NOWAIT
page-mode-advisory = advisory
page-mode-advisory-unguarded = advisory, unguarded

# Knobs.
page-knobs = Knobs
page-more-knobs = More knobs
page-changed = differs from the preset
page-no-effect = no effect as the other knobs stand
page-reset = Reset
page-save = Save
page-open = Open…
page-bad-file = { $name } was not opened, and nothing was changed. { $why }
page-bad-recording = Line { $line } is no event: { $why }
page-empty-recording = There is no event in it.

# Before the first run.
page-empty-title = Who gets the row?
page-empty-lead = Twenty orders in a PostgreSQL table, five workers that want them. What they do to each other is decided by one clause.
page-empty-1 = Run the shop with SKIP LOCKED: everyone takes a row of their own.
page-empty-2 = Choose FOR UPDATE and run it again: four of five stand in line for one row.
page-empty-3 = Then naive with “claim-commit”: the customers get some mails twice, and nobody an error.
page-run-shop = Run the shop

# The stage.
page-preparing = Preparing the tables…
page-time-scale = time scale ÷{ $factor }
page-workers = Workers
page-jobs = Jobs
page-follow = follow the head
page-attempts = attempts, as committed
page-lock-and-line = lock and wait queue
page-priority = priority class; 0 goes first
page-customers = Customers
page-customers-about = The world outside: what has been sent cannot be rolled back.
page-earlier = and { $n } earlier
page-order = order { $job }
page-effect-mail = mail
page-effect-cashback = cashback
page-effect-analytics = analytics
page-duplicates = { $n ->
    [one] { $n } duplicate
   *[other] { $n } duplicates
}
page-both-did-it = order { $job }: { $first } and { $second } both did it
page-did-it-again = order { $job }: { $second } did it again
page-deliveries = deliveries { $first } and { $second }
page-worker-over = { $done } done · busy { $busy } · waited { $waited }
page-stranger-waits = waits for row { $job }
page-stranger-holds = holds { $jobs }
page-held = { $who } holds this row's lock: its own statement returned it
page-held-observed = { $who } holds this row's lock: seen in pgrowlocks
page-owned-by = { $who } has it in processing; no lock is held
page-queue = waiting in this order: { $who }
page-note-together = { $who } at the same time
page-note-repeated = { $n ->
    [one] an effect repeated
   *[other] { $n } effects repeated
}
page-note-ran-again = { $n ->
    [2] ran twice
   *[other] ran { $n } times
}
page-note-due-in = retry due in { $time }
page-note-neglected = free, and nobody takes it
page-note-hopped = hopped by { $who }
page-note-left = left by { $who }; nobody comes for it
page-note-left-lease = left by { $who }; its lease runs
page-note-hangs = { $who } hangs with it
page-note-reaped = { $n ->
    [one] brought back by the reaper
   *[other] brought back by the reaper { $n } times
}
page-note-given-up = no attempt left
page-map = Map of all jobs by state; a click leads to the row
page-map-queued = queued
page-map-locked = locked
page-map-processing = processing
page-map-done = done
page-map-failed = dead letter
page-map-twice = done twice

# Figures.
page-at-least = at least: short waits escape the observer
page-figure-jobs-per-second = jobs / s
page-figure-jobs-per-second-about = Jobs acked per second, up to the last ack.
page-figure-busy = busy
page-figure-busy-about = Share of the workers' time spent at work.
page-figure-waiting = waiting now
page-figure-waiting-about = Workers that wait for a lock at this moment.
page-figure-waited = time waited
page-figure-waited-about = Time in waits for locks, all workers together. Sampled: at least so much.
page-figure-duplicates = duplicates
page-figure-duplicates-about = Effects that reached the customers again.
page-figure-ran-again = ran twice
page-figure-ran-again-about = Works that ended with success for a job whose work had already done so.
page-figure-queue-wait-p95 = p95 queue wait
page-figure-queue-wait-p95-about = 95 of 100 claims found their job due for no longer than this.
page-figure-skips = skips
page-figure-skips-about = Queued rows ahead that a claim passed over because they were locked. A dash: the claim does not look.
page-figure-rechecks = rechecks
page-figure-rechecks-about = Queued rows ahead that a claim passed over because they had changed since its snapshot. A dash: the claim does not look.
page-figure-lock-errors = lock errors
page-figure-lock-errors-about = NOWAIT, lock_timeout, deadlock and serialization failures together.
page-figure-inversions = FIFO inversions
page-figure-inversions-about = Works begun on a job that stands before one already begun.
page-figure-stale-acks = stale acks
page-figure-stale-acks-about = Acks, retries and dead letters that changed 0 rows: the job was no longer theirs.
page-figure-retries = retries
page-figure-retries-about = Failed jobs that were put back on the queue.
page-figure-reaped = reaped
page-figure-reaped-about = Jobs whose lease ran out and which the reaper brought back or gave up.
page-figure-dead-letters = dead letters
page-figure-dead-letters-about = Jobs given up: no attempt was left.
page-figure-dead-tuples = dead tuples ≈
page-figure-dead-tuples-about = n_dead_tup: an estimate of the statistics, seconds late.
page-figure-poll-p50 = poll p50
page-figure-poll-p50-about = Half of the polls were answered within this time.
page-figure-poll-p95 = poll p95
page-figure-poll-p95-about = 95 of 100 polls were answered within this time.

# The timeline.
page-timeline = Timeline
page-timeline-about = solid = working · hatched = waiting for a lock · thin line = lock held · gap = idle
page-timeline-whole = whole run
page-timeline-label = Timeline with a lane for each worker. Arrow keys move a cursor; the line above tells what was at it.
page-lane-idle = { $who } at { $at }: idle
page-lane-work = { $who } works on row { $job }: { $from } – { $to }, { $length }
page-lane-wait-row = { $who } waits for row { $job }: { $from } – { $to }, { $length }
page-lane-wait = { $who } waits for a lock: { $from } – { $to }, { $length }
page-lane-hold = { $who } holds a lock: { $from } – { $to }, { $length }
page-lane-hung = { $who } hangs with row { $job }: { $from } – { $to }, { $length }
page-lane-down = { $who } is down after a crash: { $from } – { $to }, { $length }

# The log.
page-log = What happened
page-log-only = only { $who }
page-log-pause = pause
page-log-aloud = read aloud
page-log-aloud-about = Let a screen reader say new lines as they come
page-log-empty = Nothing yet.

# The inspector.
page-inspector = Inspector
page-inspector-empty = Choose a worker to see its statement, its session and its locks.
page-worker-facts = pid { $pid } · { $done } done
page-sql = Statements of a round, the current one marked
page-sql-work = the work
page-blocked-by = blocked by { $who }
page-instrument = Instrumentation: here for the picture, not for the queue
page-session-none = no session
page-session-waiting = active, waiting for a lock
page-session-active = active, a statement in flight
page-session-idle-in-transaction = idle in transaction
page-session-idle = idle
page-transaction-open = open for { $time }
page-paused-at = paused { $point }
page-last-error = Last error
page-more-rows = and { $n } more
page-step = Step
page-step-about = On to the next point, and stand there
page-resume = Resume
page-resume-all = Resume all
page-crash = Crash
page-crash-about = The worker's connection is dropped without a word to the server
page-pause-at = Pause at
page-pause-one = Pause { $who }
page-pause-all = Pause all
page-every-point = at every point
page-everyone = everyone
page-breaks = Breakpoints
page-break-clear = Take this breakpoint away
page-psql = Someone stands still. Join in from a terminal of your own; lock a row and see what happens:
page-copy = Copy
page-copied = Copied

# Runs.
page-open-recording = Open a recording…
page-runs-asking = Asking the server…
page-runs-none = No run yet. Start one in the
page-runs-run = Run
page-runs-when = Started
page-runs-mode = Mode
page-runs-knobs = Knobs not at their default
page-runs-result = How it ended
page-runs-done = Done
page-runs-speed = Jobs/s
page-runs-waited = Waited
page-runs-harm = Duplicates + dead letters
page-runs-harm-count = { $duplicates } + { $dead }
page-runs-actions = Actions
page-download = Events
page-delete = Delete

# Help.
page-key-run = run
page-key-stop = stop
page-key-select = next and previous worker
page-key-help = this list
page-legend = Signs
page-legend-solid = A filled letter: the worker does something or holds a lock. Same letter and colour everywhere.
page-legend-ring = A ring: it waits, or it is idle.
page-legend-line = The lock sits on the row; behind it stand the waiters, first in line first.
page-legend-hatched = Hatched: waiting for a lock. Amber costs time, red is a fault.
page-legend-free = “Free, and nobody takes it”: a row that is due and unlocked while others wait in line. That is the convoy.
page-legend-evidence = Every line says how it is known: executed (a statement returned it) or observed (read from the system views).
page-figure-suppressed = repeats kept back
page-figure-suppressed-about = Effects that the idempotency key kept from happening a second time.
