# Слова вариантов. У режимов и форм есть ещё фраза: что увидит ученик.
word-mode-naive = наивный: SELECT, потом UPDATE
word-mode-naive-about = Два воркера читают одну и ту же строку. Второй UPDATE ждёт, а потом просто перезаписывает: задание сделано дважды, и ни у кого нет ошибки.
word-mode-naive-guarded = наивный с проверкой
word-mode-naive-guarded-about = UPDATE ещё раз спрашивает, в очереди ли задание. Проигравший меняет 0 строк: дубля нет, но круг потрачен зря.
word-mode-for-update = FOR UPDATE
word-mode-for-update-about = Конвой: один воркер держит первую строку, остальные выстроились за той же строкой, хотя другие свободны.
word-mode-skip-locked = FOR UPDATE SKIP LOCKED
word-mode-skip-locked-about = Каждый сразу получает свою строку. Порядок соблюдается лишь приблизительно, а пустой ответ не значит, что очередь пуста.
word-mode-nowait = FOR UPDATE NOWAIT
word-mode-nowait-about = Никто не ждёт: если первая по порядку строка занята, захват кончается ошибкой 55P03, откатом, паузой и новой попыткой.
word-mode-advisory = рекомендательная блокировка с проверкой
word-mode-advisory-about = pg_try_advisory_xact_lock в условии — старый способ пропускать. Условие может заблокировать больше, чем возьмёт захват.
word-mode-advisory-unguarded = рекомендательная блокировка без проверки
word-mode-advisory-unguarded-about = Без проверки статуса снимок, сделанный до чужого COMMIT, захватит задание второй раз: редко, но по-настоящему.

word-shape-hold = hold: работа в транзакции
word-shape-hold-about = Блокировка держится столько, сколько длится работа. Падение сразу откатывает всё; зависание держит строку и не даёт VACUUM чистить.
word-shape-claim-commit = claim-commit: работа после COMMIT
word-shape-claim-commit-about = Короткие транзакции: захват, COMMIT, работа, подтверждение. Падение оставляет задание в processing, пока его не вернёт спасатель.

word-order-none = без порядка
word-order-run-at = run_at
word-order-run-at-id = run_at, id
word-order-priority-run-at-id = priority, run_at, id

word-lock-strength-update = FOR UPDATE
word-lock-strength-no-key-update = FOR NO KEY UPDATE

word-isolation-read-committed = READ COMMITTED
word-isolation-repeatable-read = REPEATABLE READ
word-isolation-serializable = SERIALIZABLE

word-arrival-burst = все сразу
word-arrival-constant = равномерно
word-arrival-poisson = случайно (поток Пуассона)

word-autovacuum-off = выключена
word-autovacuum-default = как на сервере
word-autovacuum-tuned = настроена под очередь

word-sleep-after-every = каждого захвата
word-sleep-after-empty = пустого захвата

word-wake-up-poll = интервал опроса
word-wake-up-notify = NOTIFY
word-wake-up-both = что раньше

word-crash-method-close-socket = сокет закрывается
word-crash-method-terminate-backend = процесс на сервере тоже завершают

word-work-constant = постоянное
word-work-uniform = равномерное
word-work-exponential = экспоненциальное
word-work-lognormal = логнормальное

word-crash-point-before-claim = до захвата
word-crash-point-after-claim = после захвата, до его COMMIT
word-crash-point-before-work = перед работой
word-crash-point-in-work = посреди работы
word-crash-point-after-effect = после эффекта, до подтверждения
word-crash-point-after-ack = после подтверждения, до его COMMIT
word-crash-point-any = любая точка после захвата

word-retry-backoff-constant = всегда одинаковая
word-retry-backoff-exponential = удваивается

word-fence-off = нет
word-fence-owner = владелец
word-fence-owner-attempt = владелец и попытка
