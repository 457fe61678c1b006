//! Ranges and durations.

use super::*;

#[test]
fn ranges_draw_neighbours_together() {
    let ranges = |ids: &[u32]| id_ranges(&ids.iter().copied().map(JobId).collect::<Vec<_>>());
    assert_eq!(ranges(&[]), "");
    assert_eq!(ranges(&[12, 8, 7, 10, 9, 8]), "7–10, 12");
    assert_eq!(ranges(&[1, 2, 4]), "1, 2, 4");
    assert_eq!(ranges(&(0..30).map(|n| n * 2).collect::<Vec<_>>()), "0, 2, 4, 6, 8, 10, 12, 14, …");
}

#[test]
fn durations_have_the_precision_that_a_person_wants() {
    for (us, en, ru) in [
        (0, "0 µs", "0 мкс"),
        (999, "999 µs", "999 мкс"),
        (1_499, "1 ms", "1 мс"),
        (999_499, "999 ms", "999 мс"),
        (999_500, "1 s", "1 с"),
        (1_649_999, "1.6 s", "1,6 с"),
        (3_000_000, "3 s", "3 с"),
        (9_949_999, "9.9 s", "9,9 с"),
        (9_950_000, "10 s", "10 с"),
        (59_499_999, "59 s", "59 с"),
        (59_500_000, "1 min 0 s", "1 мин 0 с"),
        (3_725_000_000, "62 min 5 s", "62 мин 5 с"),
    ] {
        check(&duration(us), en, ru);
    }
}
