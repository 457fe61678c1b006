# Имена того, из чего состоит картина.
state-queued = в очереди
state-processing = в работе
state-done = готово
state-failed = dead letter

empty-queue-empty = очередь пуста
empty-all-locked = все задания в очереди заблокированы другими
empty-not-yet-due = задания в очереди есть, но срок ещё не настал
empty-arrived-after-snapshot = задания пришли уже после снимка захвата
empty-unknown = никто не проверял

end-quiescent = Больше ничего измениться не может.
end-time-limit = Время вышло.
end-stopped = Остановлено вручную.
end-database-lost = База данных пропала.
end-event-limit = Достигнут предел числа событий одного прогона.
end-failed = Прогон встретил ошибку, с которой не справиться.

run-preparing = готовится
run-running = идёт
run-stopping = останавливается
run-ended = закончен

point-before-claim = до захвата
point-after-select = между SELECT и UPDATE
point-after-claim = после захвата, до его COMMIT
point-before-work = перед работой
point-in-work = посреди работы
point-after-effect = после эффекта, до подтверждения
point-after-ack = после подтверждения, до его COMMIT
point-anywhere = там, где был

evidence-executed = выполнено
evidence-executed-about = Это вернул запрос или сделала сама программа.
evidence-observed = замечено
evidence-observed-about = Прочитано из pg_locks, pg_stat_activity, pgrowlocks или pg_stat_user_tables.
evidence-simulated = смоделировано
evidence-simulated-about = Это сказал симулятор.

wait-transaction-id = первый в очереди: ждёт конца транзакции держателя
wait-tuple = в очереди за другим ожидающим ту же строку
wait-relation = ждёт блокировку таблицы
wait-advisory = ждёт рекомендательную блокировку
wait-other = ждёт блокировку другого вида

# Действующее лицо внутри фразы и (-start) в её начале. Воркеры — буквы.
actor-worker = воркер { $letter }
actor-producer = поставщик
actor-producer-start = Поставщик
actor-reaper = спасатель
actor-reaper-start = Спасатель
actor-heartbeat = сигнал жизни
actor-heartbeat-start = Сигнал жизни
actor-listener = слушатель
actor-listener-start = Слушатель
actor-bystander = посторонний со снимком
actor-bystander-start = Посторонний со снимком
actor-outside = внешний мир
actor-outside-start = Внешний мир
actor-observer = наблюдатель
actor-observer-start = Наблюдатель
actor-run = прогон
actor-run-start = Прогон
actor-stranger = чужой сеанс (pid { $pid })
actor-stranger-start = Чужой сеанс (pid { $pid })

# Перечисления и длительности.
list-and = { $left } и { $right }
list-comma = { $left }, { $right }
duration-us = { $n } мкс
duration-ms = { $n } мс
duration-s = { $n } с
duration-s-tenths = { $n },{ $tenths } с
duration-min = { $n } мин { $s } с
