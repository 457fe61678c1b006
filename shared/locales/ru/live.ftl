# Живой прогон: что нужно и чего не хватает.
live-bad-url = DATABASE_URL — не адрес PostgreSQL: { $reason }. Нужен вид postgres://user@host:5432/database
live-too-old = Это PostgreSQL { $version }; нужен 14 или новее.
live-no-create = Роли нельзя создавать схемы в базе { $database }. Выполните: GRANT CREATE ON DATABASE { $database } TO роль.
live-statement = База данных отказала: { $detail }
notice-no-pgrowlocks = Блокировки строк, которых никто не ждёт, не видны: нет расширения pgrowlocks ({ $why }). Ожидания видны и без него.
notice-no-all-stats = Этой роли нельзя читать статистику других ролей (pg_read_all_stats): посторонние показаны только номером процесса.
notice-clock = Время сервера сведено к часам прогона с точностью до { $us } мкс.
notice-observer-failed = Наблюдатель остановился: { $why }. Блокировки и ожидания больше не показываются.
