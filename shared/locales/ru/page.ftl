# Страница.
page-close = Закрыть
page-skip = К содержанию
page-nav = Страницы
page-tab-lab = Стенд
page-tab-runs = Прогоны
page-language = Язык
page-help = Клавиши и знаки
page-theme-about = Цвета: как в системе, светлые, тёмные
page-theme-auto = Авто
page-theme-light = Светлая
page-theme-dark = Тёмная

# Сервер.
page-server-asking = Ищу сервер…
page-server-none = Нет сервера
page-server-down = Нет базы
page-server-live = Живой
page-server-notices = Замечания
page-server-embedded = Собственный кластер Rowlock на этой машине. Появляется и исчезает вместе с сервером.
page-server-own = Ваш сервер из DATABASE_URL. Rowlock трогает только схемы, которые создал сам.
page-server-fast = Включены настройки «быстро, но не надёжно»: сбой машины данные не переживут.
page-unreachable = Сервер не ответил ({ $why }). Он ещё работает?
page-no-server = Здесь нет сервера Rowlock. Запись всё равно можно открыть на странице «Прогоны».
page-no-database = База данных сейчас недоступна. Сервер поднимет её, если сможет; тогда снова можно будет запускать.
page-database-lost = База данных пропала посреди прогона. Всё, что было известно до этого, сохранено и показано.
page-run-gone = Сервер больше не знает этого прогона. Показано то, что было видно до этого.
page-wrong-version = Страница и сервер разных версий. Перезагрузите страницу.
page-unreadable = Сообщение сервера не читается ({ $why }). Перезагрузите страницу; если не помогло, страница и сервер разных версий.
page-dropped = Страница не успевала за потоком: { $count ->
    [one] { $count } событие пропущено
    [few] { $count } события пропущены
   *[many] { $count } событий пропущено
} в журнале. Картина и счётчики полны.

# Пуск и остановка.
page-controls = Запуск
page-run = Пуск
page-stop = Стоп
page-preset = Сценарий
page-preset-own = свой
page-mode = Режим захвата
page-cannot-run = Запустить нельзя:
page-status-idle = готово
page-status-starting = запуск…
page-status-running = идёт
page-status-stopping = останавливается…
page-status-reconnecting = связь восстанавливается…
page-status-replaying = запись
page-status-ended = закончен
page-status-gone = потерян
page-try = попытка { $n }; сам прогон продолжается
page-mode-naive = наивный
page-mode-naive-guarded = наивный, с проверкой
page-mode-for-update = FOR UPDATE
page-mode-skip-locked = SKIP LOCKED
page-mode-nowait = NOWAIT
page-mode-advisory = advisory
page-mode-advisory-unguarded = advisory, без проверки

# Ручки.
page-knobs = Ручки
page-more-knobs = Ещё ручки
page-changed = отличается от сценария
page-no-effect = при таких остальных ручках ни на что не влияет
page-reset = Сброс
page-save = Сохранить
page-open = Открыть…
page-bad-file = { $name } не открыт, ничего не изменено. { $why }
page-bad-recording = Строка { $line } — не событие: { $why }
page-empty-recording = В нём нет ни одного события.

# До первого прогона.
page-empty-title = Кому достанется строка?
page-empty-lead = Двадцать заказов в таблице PostgreSQL и пять воркеров, которым они нужны. Что они сделают друг с другом, решает одно предложение запроса.
page-empty-1 = Запустите магазин со SKIP LOCKED: каждый берёт свою строку.
page-empty-2 = Выберите FOR UPDATE и запустите снова: четверо из пяти стоят в очереди за одной строкой.
page-empty-3 = Затем наивный с «claim-commit»: часть писем придёт покупателям дважды, и ни одной ошибки.
page-run-shop = Запустить магазин

# Сцена.
page-preparing = Готовлю таблицы…
page-time-scale = время сжато в { $factor } раз
page-workers = Воркеры
page-jobs = Задания
page-follow = следить за головой
page-attempts = попытки, как зафиксировано
page-lock-and-line = блокировка и очередь к ней
page-priority = класс приоритета; 0 идёт первым
page-customers = Покупатели
page-customers-about = Внешний мир: отправленное не откатить.
page-earlier = и ещё { $n } раньше
page-order = заказ { $job }
page-effect-mail = письмо
page-effect-cashback = кешбэк
page-effect-analytics = аналитика
page-duplicates = { $n ->
    [one] { $n } повтор
    [few] { $n } повтора
   *[many] { $n } повторов
}
page-both-did-it = заказ { $job }: сделали и { $first }, и { $second }
page-did-it-again = заказ { $job }: { $second } сделал ещё раз
page-deliveries = выдачи { $first } и { $second }
page-worker-over = сделал { $done } · занят { $busy } · прождал { $waited }
page-stranger-waits = ждёт строку { $job }
page-stranger-holds = держит { $jobs }
page-held = { $who } держит блокировку строки: её вернул его запрос
page-held-observed = { $who } держит блокировку строки: видно в pgrowlocks
page-owned-by = у { $who } в обработке; блокировки нет
page-queue = ждут в таком порядке: { $who }
page-note-together = { $who } одновременно
page-note-repeated = { $n ->
    [one] эффект повторился
    [few] { $n } эффекта повторились
   *[many] { $n } эффектов повторились
}
page-note-ran-again = { $n ->
    [2] выполнено дважды
    [one] выполнено { $n } раз
    [few] выполнено { $n } раза
   *[many] выполнено { $n } раз
}
page-note-due-in = повтор через { $time }
page-note-neglected = свободна, и никто не берёт
page-note-hopped = перескочили: { $who }
page-note-left = брошено: { $who }; никто не придёт
page-note-left-lease = брошено: { $who }; аренда идёт
page-note-hangs = { $who } завис с ним
page-note-reaped = { $n ->
    [one] вернул спасатель
    [few] спасатель вернул { $n } раза
   *[many] спасатель вернул { $n } раз
}
page-note-given-up = попыток не осталось
page-map = Карта всех заданий по состоянию; щелчок ведёт к строке
page-map-queued = в очереди
page-map-locked = заблокировано
page-map-processing = в обработке
page-map-done = сделано
page-map-failed = мёртвое
page-map-twice = дважды

# Показатели.
page-at-least = не меньше: короткие ожидания наблюдатель не замечает
page-figure-jobs-per-second = заданий / с
page-figure-jobs-per-second-about = Подтверждённых заданий в секунду, до последнего подтверждения.
page-figure-busy = заняты
page-figure-busy-about = Доля времени воркеров, ушедшая на работу.
page-figure-waiting = ждут сейчас
page-figure-waiting-about = Воркеры, которые ждут блокировку в этот момент.
page-figure-waited = прождали
page-figure-waited-about = Время ожидания блокировок, все воркеры вместе. По выборке: не меньше этого.
page-figure-duplicates = повторы
page-figure-duplicates-about = Эффекты, дошедшие до покупателей ещё раз.
page-figure-ran-again = дважды
page-figure-ran-again-about = Успешно законченная работа над заданием, которое уже было успешно сделано.
page-figure-queue-wait-p95 = p95 в очереди
page-figure-queue-wait-p95-about = В 95 захватах из 100 срок задания наступил не раньше, чем столько назад.
page-figure-skips = пропуски
page-figure-skips-about = Строки впереди, которые захват миновал, потому что они заблокированы. Прочерк: захват не смотрит.
page-figure-rechecks = перепро­верки
page-figure-rechecks-about = Строки впереди, которые захват миновал, потому что они изменились после его снимка. Прочерк: захват не смотрит.
page-figure-lock-errors = ошибки блокир.
page-figure-lock-errors-about = NOWAIT, lock_timeout, взаимоблокировки и ошибки сериализации вместе.
page-figure-inversions = вне очереди
page-figure-inversions-about = Работы, начатые над заданием, которое стоит раньше уже начатого.
page-figure-stale-acks = поздние ack
page-figure-stale-acks-about = Подтверждения, повторы и отказы, изменившие 0 строк: задание уже чужое.
page-figure-retries = новые попытки
page-figure-retries-about = Неудачные задания, возвращённые в очередь.
page-figure-reaped = вернул спасатель
page-figure-reaped-about = Задания с истёкшей арендой, которые спасатель вернул или списал.
page-figure-dead-letters = мёртвые
page-figure-dead-letters-about = Списанные задания: попыток не осталось.
page-figure-dead-tuples = мёртвые строки ≈
page-figure-dead-tuples-about = n_dead_tup: оценка статистики, с опозданием в секунды.
page-figure-poll-p50 = опрос p50
page-figure-poll-p50-about = Половина опросов получила ответ за это время.
page-figure-poll-p95 = опрос p95
page-figure-poll-p95-about = 95 опросов из 100 получили ответ за это время.

# Лента времени.
page-timeline = Лента времени
page-timeline-about = сплошное = работа · штриховка = ждёт блокировку · тонкая линия = держит · пусто = простой
page-timeline-whole = весь прогон
page-timeline-label = Лента времени, по дорожке на воркера. Стрелки двигают курсор; строка выше говорит, что под ним.
page-lane-idle = { $who }, { $at }: простой
page-lane-work = { $who } делает строку { $job }: { $from } – { $to }, { $length }
page-lane-wait-row = { $who } ждёт строку { $job }: { $from } – { $to }, { $length }
page-lane-wait = { $who } ждёт блокировку: { $from } – { $to }, { $length }
page-lane-hold = { $who } держит блокировку: { $from } – { $to }, { $length }
page-lane-hung = { $who } завис со строкой { $job }: { $from } – { $to }, { $length }
page-lane-down = { $who } лежит после аварии: { $from } – { $to }, { $length }

# Журнал.
page-log = Что произошло
page-log-only = только { $who }
page-log-pause = пауза
page-log-aloud = вслух
page-log-aloud-about = Пусть программа чтения с экрана произносит новые строки
page-log-empty = Пока ничего.

# Инспектор.
page-inspector = Инспектор
page-inspector-empty = Выберите воркера, чтобы увидеть его запрос, сеанс и блокировки.
page-worker-facts = pid { $pid } · сделал { $done }
page-sql = Запросы круга, текущий отмечен
page-sql-work = работа
page-blocked-by = мешают: { $who }
page-instrument = Для картины, не для очереди
page-session-none = сеанса нет
page-session-waiting = active, ждёт блокировку
page-session-active = active, запрос выполняется
page-session-idle-in-transaction = idle in transaction
page-session-idle = idle
page-transaction-open = открыта { $time }
page-paused-at = на паузе: { $point }
page-last-error = Последняя ошибка
page-more-rows = и ещё { $n }
page-step = Шаг
page-step-about = До следующей точки, и стоять там
page-resume = Дальше
page-resume-all = Дальше все
page-crash = Уронить
page-crash-about = Соединение воркера обрывается, сервер не предупреждён
page-pause-at = Остановить в точке
page-pause-one = Пауза { $who }
page-pause-all = Пауза всем
page-every-point = в каждой точке
page-everyone = все
page-breaks = Точки останова
page-break-clear = Убрать точку останова
page-psql = Кто-то стоит. Подключитесь из своего терминала, заблокируйте строку и посмотрите, что будет:
page-copy = Копировать
page-copied = Скопировано

# Прогоны.
page-open-recording = Открыть запись…
page-runs-asking = Спрашиваю сервер…
page-runs-none = Прогонов ещё нет. Запустить можно здесь:
page-runs-run = Прогон
page-runs-when = Начат
page-runs-mode = Режим
page-runs-knobs = Ручки не по умолчанию
page-runs-result = Чем кончился
page-runs-done = Сделано
page-runs-speed = Заданий/с
page-runs-waited = Прождали
page-runs-harm = Повторы + мёртвые
page-runs-harm-count = { $duplicates } + { $dead }
page-runs-actions = Действия
page-download = События
page-delete = Удалить

# Справка.
page-key-run = пуск
page-key-stop = стоп
page-key-select = следующий и предыдущий воркер
page-key-help = этот список
page-legend = Знаки
page-legend-solid = Залитая буква: воркер что-то делает или держит блокировку. Буква и цвет всюду одни и те же.
page-legend-ring = Кольцо: ждёт или простаивает.
page-legend-line = Замок висит на строке; за ним стоят ждущие, первый в очереди первым.
page-legend-hatched = Штриховка: ждёт блокировку. Янтарное стоит времени, красное — беда.
page-legend-free = «Свободна, и никто не берёт»: срок настал, блокировки нет, а другие ждут в очереди. Это и есть конвой.
page-legend-evidence = Каждая строка говорит, откуда известно: выполнено (вернул запрос) или наблюдалось (из системных представлений).
page-figure-suppressed = не повторено
page-figure-suppressed-about = Последствия, которым ключ идемпотентности не дал случиться второй раз.
