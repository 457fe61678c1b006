# The server: refusals of the API and the stream.
server-bad-scenario = The scenario has { $count } errors.
server-unreadable-body = This cannot be read: { $why }
server-too-large = The body has more than { $max } bytes, which is the most.
server-no-such-path = There is nothing at { $path }.
server-wrong-method = { $path } does not take { $method }.
server-bad-run-number = A run's number is a whole number from 1 to 4294967295.
server-no-such-run = There is no run { $run }.
server-too-many-runs = { $max ->
    [one] A run goes on already, and there can be only one at once. Stop it first.
   *[other] { $max } runs go on already, and there can be no more at once. Stop one first.
}
server-too-many-viewers = { $max ->
    [one] A viewer watches this run already, and there can be only one.
   *[other] { $max } viewers watch this run already, and there can be no more.
}
server-another-is-exclusive = Run { $run } holds a snapshot open, which keeps VACUUM from cleaning in the whole database and would spoil the figures of any other run. Wait for its end, or stop it.
server-must-be-alone = A run with open_snapshot must be alone: it keeps VACUUM from cleaning in the whole database. Run { $run } goes on; wait for its end, or stop it.
server-goes-on = Run { $run } goes on. Stop it before you delete it.
server-being-kept = Run { $run } is being written into the database. Try again in a moment.
server-is-over = Run { $run } is over: nothing more can be done to it.
server-no-such-worker = There is no worker { $worker }: the run has workers 1 to { $workers }.
server-database-down = The database is not reachable now: { $why }
server-unreadable = Run { $run } is kept, but cannot be read: { $why }
server-closing = The server is stopping.
server-fault = A fault of the server: its log says more.
server-no-answer = no answer for { $seconds } s
server-cluster-down = PostgreSQL ended ({ $why }) and is being started again.
server-cluster-failed = PostgreSQL does not start any more: { $why }. Start Rowlock anew.
server-foreign-host = This server is not called { $name }. If it should be, start it with --allow-host { $name }
server-foreign-origin = The request comes from another site ({ $name }), which may not use this server.
server-no-websocket = A stream is a WebSocket, and this request is none: { $why }
server-message-too-large = The message has { $size } bytes; the most is { $max }.
server-binary-message = The message is binary; messages are JSON text.

# The server at its terminal.
server-no-runtime = The program cannot get what it needs from the operating system: { $why }
server-no-cluster = No database: { $why }
server-fast-not-durable = Fast, not durable: PostgreSQL does not wait for the disk. Its figures are not those of a server as shipped.
server-port-taken = Port { $port } is taken; another one is chosen.
server-cannot-listen = Cannot listen on { $address }: { $why }. Choose another with --port (0 = any free one).
server-listener = The server had to stop listening: { $why }
server-stopping = Stopping runs and database …
server-interrupted = Interrupted.

# rowlock run.
cli-bad-setting = --set { $setting }: write it as knob=value, such as --set workers=8
cli-no-such-preset = There is no preset { $name }. Presets: { $names }
cli-unreadable-scenario = The scenario { $file } cannot be read: { $why }
cli-cannot-write = Cannot write { $file }: { $why }
cli-progress = { $done } of { $jobs } jobs done, { $waiting } waiting for a lock

summary-ended-quiescent = The run ended: nothing could change any more
summary-ended-time-limit = The run ended at its time limit
summary-ended-stopped = The run was stopped
summary-ended-database-lost = The database was lost
summary-ended-event-limit = The run reached the limit of events kept
summary-ended-failed = The run failed
summary-engine = On { $engine }
summary-done = jobs done
summary-elapsed = elapsed
summary-jobs-per-second = jobs per second
summary-busy = workers busy
summary-effects = effects
summary-duplicates = duplicate effects
summary-polls = polls
summary-statements = statements
summary-queued = still queued
summary-processing = still in processing
summary-failed = failed (dead letters in the table)
summary-waits = waits for a lock, at least
summary-waited = time waited
summary-skips = rows skipped
summary-rechecks = rows rechecked
summary-nowait-errors = errors of NOWAIT (55P03)
summary-lock-timeouts = lock_timeout (55P03)
summary-serialization-failures = serialization failures (40001)
summary-deadlocks = deadlock victims (40P01)
summary-races-lost = rounds lost to another worker
summary-ran-again = jobs worked again
summary-inversions = FIFO inversions
summary-stale-acks = stale acks
summary-retries = retries
summary-reaped = reaped
summary-dead-letters = dead letters
summary-suppressed = effects suppressed
summary-crashes = crashes
summary-hangs = hangs
summary-empty-queue = empty claims: queue empty
summary-empty-locked = empty claims: all locked
summary-empty-not-due = empty claims: none due
summary-empty-after-snapshot = empty claims: arrived after the snapshot
summary-empty-unknown = empty claims: nobody looked
summary-dead-tuples = dead tuples, an estimate
summary-durations = ms
summary-p50 = median
summary-p95 = 95 %
summary-p99 = 99 %
summary-max = max
summary-queue-wait = due to claimed
summary-total-time = arrival to done
summary-poll-latency = poll
summary-wait-time = wait for a lock
summary-note-waits = Waits are seen by looking: shorter ones than the observer's period are missed, so that their number is a lower bound.
summary-note-no-observer = The observer was off: waits and dead tuples were not looked for.
summary-note-no-skips = Skips and rechecks were not counted: that takes the evidence knob and a total order.
summary-note-observer = The observer looked { $looks } times and spent { $ms } ms in its statements.

# Help. Its frame comes from the argument parser and is English.
help-rowlock = What PostgreSQL row locks do to a job queue: run it, and see who holds which row.
help-serve = Serve the page, the API and the stream
help-run = Run one scenario on a real PostgreSQL and print its summary
help-presets = List the presets
help-lang = Language of messages; the environment decides if it is left out
help-port = Port; 0 = any free one. The default is 7373, or any free one if that is taken
help-host = Address to listen on. Anything but the loopback lets others in: there is no login
help-allow-host = Another name that the server is asked by, for instance behind a proxy; may be repeated
help-max-runs = Most runs at once
help-max-viewers = Most viewers of one run at once
help-database-url = Use this PostgreSQL (14 or newer, CREATE on its database) instead of a private one
help-fast-not-durable = Private PostgreSQL with fsync off: fast, not durable
help-cache-dir = Folder of the private PostgreSQL instead of rowlock in the user's cache
help-keep-days = Finished runs are kept for so many days
help-keep-mb = Finished runs are kept up to so many MB in all
help-preset = Start from this preset
help-scenario = Start from this scenario file (JSON); - reads standard input
help-set = Set a knob, such as --set workers=8; may be repeated
help-json = Print the summary as JSON
help-events = Write the events as JSON lines to this file; - is standard output, and the summary goes to standard error
