/**
 * A string for comparison without regard to case: in lower case, with one lower-case sigma. Both sides of a search are
 * converted. ClickHouse's own case-insensitive searches take time proportional to the product of both lengths on
 * repetitive text, and do not reliably find letters whose upper and lower case differ in length.
 */
export function foldCaseSql(text: string, sought: string | null): string {
  const small = `lowerUTF8(${text})`;
  const mayHoldSigma = sought === null || /[Σσς]/.test(sought);
  return mayHoldSigma ? `replaceAll(${small}, 'ς', 'σ')` : small;
}
