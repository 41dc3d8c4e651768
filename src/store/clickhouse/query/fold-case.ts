/**
 * A text without regard to case: small letters, and one small sigma. What is sought and what it is sought in both go through
 * it. ClickHouse's own searches without regard to case take time in the product of both lengths where a text repeats
 * itself, and find a letter whose capital has another length only by chance.
 */
export function foldCaseSql(text: string, sought: string | null): string {
  const small = `lowerUTF8(${text})`;
  const mayHoldSigma = sought === null || /[Σσς]/.test(sought);
  return mayHoldSigma ? `replaceAll(${small}, 'ς', 'σ')` : small;
}
