# What is wrong with a scenario: the field, the value, the bound.
error-knob-unknown = { $field }: there is no such knob (its value was { $value }). Names are those of the scenario file, such as workers or work_ms.
error-knob-not-object = { $field }: { $value } is not a scenario; it takes a JSON object such as {"{"}"workers": 5{"}"}
error-knob-range = { $field }: { $value } is out of range; it takes { $min } to { $max }
error-knob-whole = { $field }: { $value } is not a whole number; it takes { $min } to { $max }
error-knob-number = { $field }: { $value } is not a number; it takes { $min } to { $max }
error-knob-switch = { $field }: { $value } is neither true nor false
error-knob-word = { $field }: { $value } is not one of { $words }
error-knob-probabilities = { $field }: with { $value }, the probabilities to fail, to hang and to crash add up to more than 1
error-knob-late = { $field }: at { $value } jobs per second the last job would arrive after { $last } ms, and the run is over at { $limit } ms. Raise the rate or time_limit_ms, or lower jobs.
error-knob-connections = { $field }: with { $value } the run needs { $needed } connections, and the server has { $free } free

# Errors of the database, as a queue worker meets them.
refusal-nowait = NOWAIT: the row is locked (55P03)
refusal-lock-timeout = lock_timeout: waited too long (55P03)
refusal-serialization = serialization failure (40001)
refusal-deadlock = deadlock: chosen as the victim (40P01)
refusal-cancelled = statement cancelled (57014)
refusal-idle-in-transaction = idle in transaction for too long, session ended (25P03)
refusal-terminated = session ended by an administrator (57P01)
refusal-connection-lost = connection lost
refusal-other = another error of the database
