/** A key of an object that is probably meant to be one of those that it lacks. */
export function misspelledKey(value: object, known: readonly string[]): { key: string; reason: string } | null {
  const lacking = known.filter((key) => !Object.hasOwn(value, key));
  for (const key of Object.keys(value)) {
    const meant = known.includes(key) ? undefined : lacking.find((each) => isNear(key.toLowerCase(), each));
    if (meant !== undefined) return { key, reason: `the field is unknown, expected ${meant}` };
  }
  return null;
}

/** One letter differs, or two in a long key. */
function isNear(key: string, known: string): boolean {
  return distance(key, known) <= (known.length < 6 ? 1 : 2);
}

/** The number of letters to insert, delete, replace or swap with the next one (Damerau–Levenshtein, restricted). */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isEqual = a[i - 1] === b[j - 1];
      row[j] = Math.min(rows.at(-1)![j]! + 1, row[j - 1]! + 1, rows.at(-1)![j - 1]! + (isEqual ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) row[j] = Math.min(row[j]!, rows[0]![j - 2]! + 1);
    }
    rows = [rows.at(-1)!, row];
  }
  return rows.at(-1)![b.length]!;
}
