count-rows = { $n ->
    [one] { $n } строка
    [few] { $n } строки
   *[many] { $n } строк
}
