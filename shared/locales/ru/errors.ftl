# Что не так со сценарием: поле, значение, граница.
error-knob-unknown = { $field }: такой ручки нет (значение было { $value }). Имена — как в файле сценария: workers, work_ms и так далее.
error-knob-not-object = { $field }: { $value } — не сценарий; нужен объект JSON, например {"{"}"workers": 5{"}"}
error-knob-range = { $field }: { $value } вне границ; можно от { $min } до { $max }
error-knob-whole = { $field }: { $value } — не целое число; можно от { $min } до { $max }
error-knob-number = { $field }: { $value } — не число; можно от { $min } до { $max }
error-knob-switch = { $field }: { $value } — ни true, ни false
error-knob-word = { $field }: { $value } — не одно из слов { $words }
error-knob-probabilities = { $field }: при { $value } вероятности неудачи, зависания и падения вместе больше 1
error-knob-late = { $field }: при { $value } заданий в секунду последнее поступит через { $last } мс, а прогон кончится на { $limit } мс. Увеличьте частоту или time_limit_ms либо уменьшите jobs.
error-knob-connections = { $field }: при { $value } прогону нужно соединений: { $needed }, а свободно на сервере: { $free }

# Ошибки базы, какими их видит воркер.
refusal-nowait = NOWAIT: строка заблокирована (55P03)
refusal-lock-timeout = lock_timeout: ждал слишком долго (55P03)
refusal-serialization = ошибка сериализации (40001)
refusal-deadlock = взаимоблокировка: выбран жертвой (40P01)
refusal-cancelled = запрос отменён (57014)
refusal-idle-in-transaction = слишком долго молчал в транзакции, сеанс закрыт (25P03)
refusal-terminated = сеанс завершён администратором (57P01)
refusal-connection-lost = соединение потеряно
refusal-other = другая ошибка базы
