/**
 * The words that a string must contain if it contains `text`: runs of ASCII letters and digits that are long enough for
 * the index. Any other characters may be written as escapes. Returns a few words, the longest first.
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

/** ClickHouse does not search the index for shorter ones (`text_index_like_min_pattern_length`). */
const lengthMin = 4;
/**
 * Longer words are truncated: searching repetitive text for a long word takes time proportional to the product of both
 * lengths.
 */
const lengthMax = 32;
const wordsMax = 4;
