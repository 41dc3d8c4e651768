/**
 * The words a text must have if it contains `text`: runs of letters and digits of ASCII, long enough to be looked up,
 * since an escape can part any other signs. The longest first, a few of them.
 */
export function soughtWords(text: string): string[] {
  const words = text.match(/[a-zA-Z0-9]+/g) ?? [];
  return [...new Set(words.filter((word) => word.length >= lengthMin).map((word) => word.slice(0, lengthMax)))]
    .sort((a, b) => b.length - a.length)
    .slice(0, wordsMax);
}

/** Whether the word could also be the digits of a number. */
export function isLikeNumber(word: string): boolean {
  return /^[0-9eE]+$/.test(word);
}

/** ClickHouse looks no shorter ones up (`text_index_like_min_pattern_length`). */
const lengthMin = 4;
/** Of a longer word its beginning. Looking for a long one where a text repeats itself takes time in the product of both lengths. */
const lengthMax = 32;
const wordsMax = 4;
