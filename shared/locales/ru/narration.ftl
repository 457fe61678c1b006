# Что произошло: одна фраза на событие. $who — буква воркера или имя другого участника.
tell-run-began = Прогон начался на { $engine }: { $workers ->
    [one] { $workers } воркер
    [few] { $workers } воркера
   *[many] { $workers } воркеров
}, { $jobs ->
    [one] { $jobs } задание
    [few] { $jobs } задания
   *[many] { $jobs } заданий
}, { $mode }
tell-run-ended = Прогон закончен через { $time }. { $reason }
tell-run-ended-detail = Прогон закончен через { $time }. { $reason } { $detail }
tell-joined = { $who } подключился
tell-enqueued = Поставщик кладёт в очередь { $n ->
    [1] задание { $ids }
    [one] { $n } задание: { $ids }
    [few] { $n } задания: { $ids }
   *[many] { $n } заданий: { $ids }
}

# Захваты.
tell-claimed = { $who } взял { $n ->
    [1] строку
   *[other] строки
} { $ids }
tell-claimed-again = { $who } взял строку { $ids } (выдача { $delivery })
tell-claimed-hopping = { $who } взял { $n ->
    [1] строку
   *[other] строки
} { $ids }, пропустив { $passed }
tell-claimed-recheck = { $who } взял { $n ->
    [1] строку
   *[other] строки
} { $ids }; { $passed } — уже не те, что в его снимке
tell-claimed-done = { $who } взял строку { $ids }, хотя она уже сделана
tell-claimed-taken = { $who } взял строку { $ids }, хотя она у { $other }
tell-empty-queue = { $who } видит пустую очередь
tell-empty-locked = { $who } получает 0 строк: { $n ->
    [1] единственное задание в очереди заблокировано
   *[other] в очереди есть задания ({ $n }), но все, чей срок настал, заблокированы
}
tell-empty-not-due = { $who } получает 0 строк: задания в очереди есть, но срок ещё не настал
tell-empty-after-snapshot = { $who } получает 0 строк: задания пришли уже после его снимка
tell-race-lost = { $who } прочитал { $n ->
    [1] строку { $ids } как свободную, но к UPDATE она уже занята
   *[other] строки { $ids } как свободные, но к UPDATE они уже заняты
}: 0 строк, круг потрачен зря

# Ошибки.
tell-nowait-row = NOWAIT: строка { $row } заблокирована, { $who } сразу получает 55P03 и откатывается
tell-nowait = NOWAIT: следующая строка заблокирована, { $who } сразу получает 55P03 и откатывается
tell-lock-timeout-row = lock_timeout: { $who } не дождался строки { $row } (55P03) и откатывается
tell-lock-timeout = lock_timeout: { $who } не дождался блокировки (55P03) и откатывается
tell-serialization = { $who } получает 40001: прочитанное изменилось после снимка; откат
tell-deadlock = Взаимоблокировка: жертвой сервер выбирает { $who } (40P01), откат
tell-cancelled = { $who }: запрос отменён (57014)
tell-refused = { $who }: ошибка базы данных: { $detail }
tell-session-lost = { $who }: сеанс потерян — { $reason }
tell-session-lost-rows = { $who }: сеанс потерян ({ $reason }); сервер откатывает транзакцию и освобождает { $n ->
    [1] строку
   *[other] строки
} { $ids }

# Ожидания.
tell-wait-first = { $who } хочет строку { $row }; её держит { $holder }
tell-wait-behind = { $who } хочет строку { $row }; её держит { $holder }, впереди в очереди { $n ->
    [1] { $ahead }
   *[other] { $ahead }
}
tell-wait-next = { $who } теперь первый в очереди за строкой { $row }
tell-wait-queue = { $who } хочет строку { $row }; впереди в очереди { $n ->
    [1] { $ahead }
   *[other] { $ahead }
}
tell-wait-row = { $who } ждёт строку { $row }
tell-wait-table = { $who } ждёт блокировку таблицы; мешает { $holder }
tell-wait-advisory = { $who } ждёт рекомендательную блокировку; мешает { $holder }
tell-wait-other = { $who } ждёт блокировку ({ $lock }); мешает { $holder }
tell-wait-unknown = { $who } ждёт блокировку ({ $lock })
tell-waited-row = { $who } ждал строку { $row } { $time }
tell-waited = { $who } ждал блокировку { $time }
tell-row-locked = { $who } держит строку { $row } ({ $modes })
tell-row-released = { $who } больше не держит строку { $row }

# Работа и эффекты.
tell-work = { $who } работает над строкой { $row }, это { $time }
tell-work-too = { $who } работает над строкой { $row } ({ $time }), и { $other } тоже
tell-work-failed = { $who } не справился со строкой { $row }
tell-work-again = { $who } ещё раз сделал работу строки { $row }: она уже была сделана
tell-effect = { $effect ->
    [mail] Покупатель заказа { $row } получает письмо
    [cashback] Покупатель заказа { $row } получает кешбэк
    [analytics] Заказ { $row } учтён в аналитике
   *[other] Заказ { $row }: { $effect }
} (сделал { $who })
tell-effect-twice = { $effect ->
    [mail] Покупатель заказа { $row } получает { $nth ->
        [2] второе
        [3] третье
       *[other] ещё одно
    } письмо
    [cashback] Покупатель заказа { $row } получает { $nth ->
        [2] второй
        [3] третий
       *[other] ещё один
    } кешбэк
    [analytics] Заказ { $row } учтён { $nth ->
        [2] дважды
        [3] трижды
       *[other] много раз
    }
   *[other] Заказ { $row }: снова { $effect }
}: задание сделали и { $first }, и { $who }
tell-effect-self = { $effect ->
    [mail] Покупатель заказа { $row } получает { $nth ->
        [2] второе
        [3] третье
       *[other] ещё одно
    } письмо
    [cashback] Покупатель заказа { $row } получает { $nth ->
        [2] второй
        [3] третий
       *[other] ещё один
    } кешбэк
    [analytics] Заказ { $row } учтён { $nth ->
        [2] дважды
        [3] трижды
       *[other] много раз
    }
   *[other] Заказ { $row }: снова { $effect }
}: { $who } сделал задание не один раз
tell-suppressed = Ключ идемпотентности заказа { $row } останавливает { $who }: { $effect ->
    [mail] второго письма не будет
    [cashback] второго кешбэка не будет
    [analytics] второй раз не учтено
   *[other] второго не будет: { $effect }
}

# Слово базе данных.
tell-acked-not-mine = { $who } подтверждает строку { $row }, хотя она уже не у { $who }: никто не мешает
tell-stale-ack = { $statement ->
    [requeue] Повтор от { $who } изменил
    [dead-letter] Dead letter от { $who } изменил
   *[other] Подтверждение от { $who } изменило
} 0 строк: строка { $row } уже не у { $who }
tell-requeued = { $who } возвращает строку { $row } в очередь; её срок настанет через { $time }
tell-dead-letter = { $who } списывает строку { $row } после { $attempt ->
    [one] { $attempt } попытки
   *[many] { $attempt } попыток
}: dead letter
tell-commit-claim = COMMIT: { $n ->
    [1] строка { $ids } в processing, её владелец { $who }, блокировки больше нет
   *[other] строки { $ids } в processing, их владелец { $who }, блокировок больше нет
}
tell-commit-done = COMMIT: { $n ->
    [1] строка { $ids } готова, { $who } её отпускает
   *[other] строки { $ids } готовы, { $who } их отпускает
}
tell-commit-queued = COMMIT: { $n ->
    [1] строка { $ids } снова в очереди, { $who } её отпускает
   *[other] строки { $ids } снова в очереди, { $who } их отпускает
}
tell-commit-failed = COMMIT: { $n ->
    [1] строка { $ids } теперь dead letter, { $who } её отпускает
   *[other] строки { $ids } теперь dead letter, { $who } их отпускает
}
tell-commit = COMMIT: { $who } отпускает { $n ->
    [1] строку
   *[other] строки
} { $ids }
tell-commit-passed-on = COMMIT: { $who } закончил; его блокировка уже у следующего в очереди
tell-rollback = ROLLBACK: { $who } отдаёт { $n ->
    [1] строку
   *[other] строки
} { $ids }, словно и не захватывал

# Падения, зависания, спасение.
tell-crashed = { $who } упал ({ $point })
tell-crashed-in-flight = { $who } упал ({ $point }); его запрос на сервере выполняется дальше без него
tell-crashed-free = { $who } упал ({ $point }); сервер откатывает транзакцию, { $n ->
    [1] строка { $ids } снова свободна
   *[other] строки { $ids } снова свободны
}
tell-crashed-stuck = { $who } упал ({ $point }); { $n ->
    [1] строка { $ids } остаётся
   *[other] строки { $ids } остаются
} в processing, пока не придёт спасатель
tell-crashed-lost = { $who } упал ({ $point }); { $n ->
    [1] строка { $ids } остаётся
   *[other] строки { $ids } остаются
} в processing, а спасателя нет
tell-hung-holding = { $who } завис в открытой транзакции со строкой { $row }: блокировка остаётся
tell-hung = { $who } завис со строкой { $row }, она остаётся в processing
tell-restarted = { $who } снова в строю
tell-reaped = Спасатель забирает строку { $row } у { $who } через { $time }
tell-reaped-nobody = Спасатель забирает строку { $row } через { $time }
tell-reaped-working = Спасатель забирает строку { $row } у { $who } через { $time }, а { $who } ещё работает над ней
tell-reaped-dead = Спасатель списывает строку { $row } после { $attempt ->
    [one] { $attempt } попытки
   *[many] { $attempt } попыток
}: dead letter
tell-heartbeat = Сигнал жизни: аренда { $n ->
    [1] строки
   *[other] строк
} { $ids } отсчитывается заново
tell-vacuum = VACUUM прошёл по таблице; мёртвых кортежей было { $before }, стало { $after } (оценка)
tell-paused = { $who } стоит на точке останова: { $point }
tell-resumed = { $who } идёт дальше

# Чем воркер занят сейчас.
doing-starting = подключается
doing-polling = опрашивает очередь
doing-working = работает над строкой { $row } · { $percent } %
doing-working-too = работает над строкой { $row } · { $percent } %, и { $other } тоже
doing-settling = отчитывается о строке { $row }
doing-sleeping = спит до следующего опроса
doing-backoff = пауза после ошибки
doing-listening = спит до NOTIFY
doing-crashed = упал ({ $point })
doing-hung = завис со строкой { $row }
doing-waiting-next = ждёт строку { $row } · следующий, впереди { $other }
doing-waiting-place = ждёт строку { $row } · { $place }-й в очереди, впереди { $other }
doing-waiting-row = ждёт строку { $row }
doing-waiting-lock = ждёт блокировку, впереди { $other }
doing-waiting = ждёт блокировку
doing-breakpoint = на точке останова: { $point }
doing-over = прогон закончен
tell-orphan = { $who } остался на сервере после падения { $worker }: { $state }; он не знает, что клиента больше нет
tell-orphan-gone = { $who }, оставшийся от { $worker }, исчез, и его блокировки вместе с ним
tell-stranger = { $who } не из этого прогона: { $state }
tell-backend-ended = Сервер завершил сеанс { $who }: транзакция откатилась, блокировки свободны
