/** The words of a text as ROUGE compares them: in lower case, without punctuation. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Words and punctuation as the tokenizer `13a` of the WMT conferences splits them, which sacreBLEU uses. */
export function tokensOf13a(text: string): string[] {
  const plain = text
    .replaceAll('<skipped>', '')
    .replaceAll('-\n', '')
    .replaceAll('\n', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  const spaced = ` ${plain} `
    .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return spaced.split(/\s+/u).filter((token) => token !== '');
}

/** How often each sequence of `n` tokens occurs. */
export function ngramCounts(tokens: string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i + n <= tokens.length; i++) {
    const ngram = tokens.slice(i, i + n).join('\0');
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  }
  return counts;
}

/** Occurrences that two texts have in common. */
export function overlap(a: Map<string, number>, b: Map<string, number>): number {
  let common = 0;
  for (const [ngram, count] of a) common += Math.min(count, b.get(ngram) ?? 0);
  return common;
}

/** The number of sequences of `n` in a list of this length. */
export function ngramTotal(length: number, n: number): number {
  return Math.max(0, length - n + 1);
}

/** The length of the longest common subsequence. */
export function commonLength(a: readonly string[], b: readonly string[]): number {
  const ids = new Map<string, number>();
  const idOf = (each: string) => {
    const known = ids.get(each);
    if (known !== undefined) return known;
    ids.set(each, ids.size);
    return ids.size - 1;
  };
  const [rows, columns] = [Int32Array.from(a, idOf), Int32Array.from(b, idOf)];
  const lengths = new Int32Array(columns.length + 1);
  for (const row of rows) {
    let diagonal = 0;
    for (let j = 1; j <= columns.length; j++) {
      const above = lengths[j]!;
      lengths[j] = row === columns[j - 1] ? diagonal + 1 : Math.max(above, lengths[j - 1]!);
      diagonal = above;
    }
  }
  return lengths[columns.length]!;
}
