//! Numbers and durations as people of a language write them.

use rowlock_shared::text::Lang;

/// What stands where there is nothing to count.
pub(crate) const DASH: &str = "—";

/// A narrow space that does not break, between groups of digits and before units.
const THIN: char = '\u{202f}';

/// A number with so many decimals; from 10,000 on its digits stand in groups.
pub(crate) fn number(lang: Lang, value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(w, f)| (w, Some(f)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |rest| ("−", rest));
    let mut out = String::from(sign);
    for (i, digit) in digits.chars().enumerate() {
        if digits.len() > 4 && i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push(if lang == Lang::Ru { ',' } else { '.' });
        out.push_str(fraction);
    }
    out
}

/// A whole number.
pub(crate) fn whole(lang: Lang, value: impl Into<i64>) -> String {
    number(lang, value.into() as f64, 0)
}

/// A share (0 to 1) in per cent.
pub(crate) fn percent(lang: Lang, share: f64) -> String {
    format!("{}{THIN}%", number(lang, share * 100.0, 0))
}

/// A duration in µs, in the unit in which it is read most easily.
pub(crate) fn duration(lang: Lang, us: u64) -> String {
    let ms = us as f64 / 1000.0;
    let (value, decimals, unit) = match us {
        0 => (0.0, 0, ["s", "с"]),
        1..=999 => (us as f64, 0, ["µs", "мкс"]),
        1_000..=9_999 => (ms, 1, ["ms", "мс"]),
        10_000..=999_999 => (ms, 0, ["ms", "мс"]),
        1_000_000..=99_999_999 => (ms / 1000.0, 1, ["s", "с"]),
        _ => (ms / 1000.0, 0, ["s", "с"]),
    };
    format!("{}{THIN}{}", number(lang, value, decimals), unit[usize::from(lang == Lang::Ru)])
}

/// A moment of a run in seconds, to the hundredth.
pub(crate) fn moment(lang: Lang, us: u64) -> String {
    format!("{}{THIN}{}", number(lang, us as f64 / 1_000_000.0, 2), if lang == Lang::Ru { "с" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn numbers_are_written_as_a_language_writes_them() {
        assert_eq!(number(Lang::En, 1234.5, 1), "1234.5");
        assert_eq!(number(Lang::Ru, 1234.5, 1), "1234,5");
        assert_eq!(number(Lang::En, 12_345.0, 0), "12\u{202f}345");
        assert_eq!(number(Lang::En, -3.0, 0), "−3");
    }

    #[wasm_bindgen_test]
    fn durations_choose_their_unit() {
        let shown: Vec<String> = [0, 850, 1_500, 43_000, 2_340_000, 120_000_000]
            .map(|us| duration(Lang::En, us).replace('\u{202f}', " "))
            .into();
        assert_eq!(shown, ["0 s", "850 µs", "1.5 ms", "43 ms", "2.3 s", "120 s"]);
        assert_eq!(duration(Lang::Ru, 1_500), "1,5\u{202f}мс");
    }
}
