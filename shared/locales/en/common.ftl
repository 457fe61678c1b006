count-rows = { $n ->
    [one] { $n } row
   *[other] { $n } rows
}
