# What happened, one sentence an event. $who is a worker's letter or the name of another actor.
tell-run-began = The run begins on { $engine }: { $workers ->
    [one] { $workers } worker
   *[other] { $workers } workers
}, { $jobs ->
    [one] { $jobs } job
   *[other] { $jobs } jobs
}, { $mode }
tell-run-ended = The run is over after { $time }. { $reason }
tell-run-ended-detail = The run is over after { $time }. { $reason } { $detail }
tell-joined = { $who } joins
tell-enqueued = The producer puts { $n ->
    [one] job { $ids } on the queue
   *[other] { $n } jobs on the queue: { $ids }
}

# Claims.
tell-claimed = { $who } claimed { $n ->
    [one] row
   *[other] rows
} { $ids }
tell-claimed-again = { $who } claimed row { $ids } (delivery { $delivery })
tell-claimed-hopping = { $who } claimed { $n ->
    [one] row
   *[other] rows
} { $ids } and hopped over { $passed }
tell-claimed-recheck = { $who } claimed { $n ->
    [one] row
   *[other] rows
} { $ids }; { $passed } had changed since its snapshot
tell-claimed-done = { $who } claimed row { $ids } although it is done already
tell-claimed-taken = { $who } claimed row { $ids } although { $other } has it
tell-empty-queue = { $who } finds the queue empty
tell-empty-locked = { $who } gets 0 rows: { $n ->
    [one] the one queued job is locked
   *[other] jobs are queued ({ $n }), and all that are due are locked
}
tell-empty-not-due = { $who } gets 0 rows: jobs are queued, but none of them is due yet
tell-empty-after-snapshot = { $who } gets 0 rows: jobs came after its snapshot was taken
tell-race-lost = { $who } read { $n ->
    [one] row { $ids } as queued, but it no longer was
   *[other] rows { $ids } as queued, but they no longer were
} at the UPDATE: 0 rows, a wasted round

# Errors.
tell-nowait-row = NOWAIT: row { $row } is locked, { $who } gets 55P03 at once and rolls back
tell-nowait = NOWAIT: the next row is locked, { $who } gets 55P03 at once and rolls back
tell-lock-timeout-row = lock_timeout: { $who } gives up waiting for row { $row } (55P03) and rolls back
tell-lock-timeout = lock_timeout: { $who } gives up waiting for a lock (55P03) and rolls back
tell-serialization = { $who } gets 40001: what it read has changed since its snapshot; it rolls back
tell-deadlock = Deadlock: the server picks { $who } as the victim (40P01), and it rolls back
tell-cancelled = The statement of { $who } was cancelled (57014)
tell-refused = { $who } met an error of the database: { $detail }
tell-session-lost = The session of { $who } is gone: { $reason }
tell-session-lost-rows = The session of { $who } is gone ({ $reason }); the server rolls back and frees { $n ->
    [one] row
   *[other] rows
} { $ids }

# Waits.
tell-wait-first = { $who } wants row { $row }; { $holder } holds it
tell-wait-behind = { $who } wants row { $row }; { $holder } holds it, { $n ->
    [one] { $ahead } is
   *[other] { $ahead } are
} ahead in the queue
tell-wait-next = { $who } is now first in line for row { $row }
tell-wait-queue = { $who } wants row { $row }; { $n ->
    [one] { $ahead } is
   *[other] { $ahead } are
} ahead in the queue
tell-wait-row = { $who } waits for row { $row }
tell-wait-table = { $who } waits for a table lock; { $holder } is in the way
tell-wait-advisory = { $who } waits for an advisory lock; { $holder } is in the way
tell-wait-other = { $who } waits for a lock ({ $lock }); { $holder } is in the way
tell-wait-unknown = { $who } waits for a lock ({ $lock })
tell-waited-row = { $who } waited { $time } for row { $row }
tell-waited = { $who } waited { $time } for a lock
tell-row-locked = { $who } holds row { $row } ({ $modes })
tell-row-released = { $who } no longer holds row { $row }

# Work and effects.
tell-work = { $who } works on row { $row } for { $time }
tell-work-too = { $who } works on row { $row } for { $time }, and so does { $other }
tell-work-failed = { $who } fails on row { $row }
tell-work-again = { $who } did the work of row { $row } once more: it had been done before
tell-effect = { $effect ->
    [mail] The customer of order { $row } gets a mail
    [cashback] The customer of order { $row } gets the cashback
    [analytics] Order { $row } is counted in analytics
   *[other] Order { $row }: { $effect }
}, from { $who }
tell-effect-twice = { $effect ->
    [mail] The customer of order { $row } gets { $nth ->
        [2] a second
        [3] a third
       *[other] yet another
    } mail
    [cashback] The customer of order { $row } gets { $nth ->
        [2] a second
        [3] a third
       *[other] yet another
    } cashback
    [analytics] Order { $row } is counted { $nth ->
        [2] twice
        [3] three times
       *[other] many times
    }
   *[other] Order { $row }: { $effect } again
}: { $first } and { $who } both did the job
tell-effect-self = { $effect ->
    [mail] The customer of order { $row } gets { $nth ->
        [2] a second
        [3] a third
       *[other] yet another
    } mail
    [cashback] The customer of order { $row } gets { $nth ->
        [2] a second
        [3] a third
       *[other] yet another
    } cashback
    [analytics] Order { $row } is counted { $nth ->
        [2] twice
        [3] three times
       *[other] many times
    }
   *[other] Order { $row }: { $effect } again
}: { $who } did the job more than once
tell-suppressed = The idempotency key of order { $row } stops { $who }: { $effect ->
    [mail] no second mail
    [cashback] no second cashback
    [analytics] not counted twice
   *[other] no second { $effect }
}

# The word to the database.
tell-acked-not-mine = { $who } acks row { $row } although it is no longer { $who }'s: nothing stops it
tell-stale-ack = { $statement ->
    [requeue] { $who }'s retry
    [dead-letter] { $who }'s dead letter
   *[other] { $who }'s ack
} changed 0 rows: row { $row } is no longer { $who }'s
tell-requeued = { $who } puts row { $row } back on the queue, due again in { $time }
tell-dead-letter = { $who } gives row { $row } up after { $attempt ->
    [one] { $attempt } attempt
   *[other] { $attempt } attempts
}: a dead letter
tell-commit-claim = COMMIT: { $n ->
    [one] row { $ids } is processing, owned by { $who }, and no longer locked
   *[other] rows { $ids } are processing, owned by { $who }, and no longer locked
}
tell-commit-done = COMMIT: { $n ->
    [one] row { $ids } is done, and { $who } lets go of it
   *[other] rows { $ids } are done, and { $who } lets go of them
}
tell-commit-queued = COMMIT: { $n ->
    [one] row { $ids } is on the queue again, and { $who } lets go of it
   *[other] rows { $ids } are on the queue again, and { $who } lets go of them
}
tell-commit-failed = COMMIT: { $n ->
    [one] row { $ids } is a dead letter, and { $who } lets go of it
   *[other] rows { $ids } are dead letters, and { $who } lets go of them
}
tell-commit = COMMIT: { $who } lets go of { $n ->
    [one] row
   *[other] rows
} { $ids }
tell-commit-passed-on = COMMIT: { $who } is through; its lock has already passed to the next in line
tell-rollback = ROLLBACK: { $who } gives { $n ->
    [one] row
   *[other] rows
} { $ids } back, as if it had never claimed

# Crashes, hangs, rescue.
tell-crashed = { $who } crashes ({ $point })
tell-crashed-in-flight = { $who } crashes ({ $point }); its statement runs on at the server without it
tell-crashed-free = { $who } crashes ({ $point }); the server rolls back, { $n ->
    [one] row { $ids } is free again
   *[other] rows { $ids } are free again
}
tell-crashed-stuck = { $who } crashes ({ $point }); { $n ->
    [one] row { $ids } stays
   *[other] rows { $ids } stay
} in processing until the reaper comes
tell-crashed-lost = { $who } crashes ({ $point }); { $n ->
    [one] row { $ids } stays
   *[other] rows { $ids } stay
} in processing, and there is no reaper
tell-hung-holding = { $who } hangs with row { $row } in its open transaction: the lock stays
tell-hung = { $who } hangs with row { $row }, which stays in processing
tell-restarted = { $who } is back
tell-reaped = The reaper takes row { $row } back from { $who } after { $time }
tell-reaped-nobody = The reaper takes row { $row } back after { $time }
tell-reaped-working = The reaper takes row { $row } back from { $who } after { $time }, and { $who } is still at work on it
tell-reaped-dead = The reaper gives row { $row } up after { $attempt ->
    [one] { $attempt } attempt
   *[other] { $attempt } attempts
}: a dead letter
tell-heartbeat = Heartbeat: the lease of { $n ->
    [one] row
   *[other] rows
} { $ids } begins anew
tell-vacuum = VACUUM went through the table; dead tuples: { $before } before, { $after } after (an estimate)
tell-paused = { $who } stands at a breakpoint: { $point }
tell-resumed = { $who } goes on

# What a worker does right now.
doing-starting = connecting
doing-polling = polling
doing-working = working on row { $row } · { $percent } %
doing-working-too = working on row { $row } · { $percent } %, and so is { $other }
doing-settling = reporting on row { $row }
doing-sleeping = asleep until the next poll
doing-backoff = backing off
doing-listening = asleep until notified
doing-crashed = crashed ({ $point })
doing-hung = hangs with row { $row }
doing-waiting-next = waits for row { $row } · next in line, behind { $other }
doing-waiting-place = waits for row { $row } · place { $place } in line, behind { $other }
doing-waiting-row = waits for row { $row }
doing-waiting-lock = waits for a lock, behind { $other }
doing-waiting = waits for a lock
doing-breakpoint = at a breakpoint: { $point }
doing-over = the run is over
tell-orphan = { $who } is what the crash of { $worker } left on the server: { $state }; it does not know that its client is gone
tell-orphan-gone = { $who }, left behind by { $worker }, is gone, and its locks with it
tell-stranger = { $who } is none of the run's sessions: { $state }
tell-backend-ended = The server has ended the session of { $who }: its transaction is rolled back, its locks are free
