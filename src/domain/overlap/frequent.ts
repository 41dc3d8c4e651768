import type { ReadText } from './read-text.ts';
import { concatenated, setOf } from './units.ts';

/** What many rows share, such as prompts, schemas and templates: it says nothing about one of them. */
export type Frequent = {
  /** How many rows may share something that still counts. */
  rowsMax: number;
  isText(text: ReadText): boolean;
  /** The shingles that few rows have. */
  rareOf(text: ReadText): Uint32Array;
};

const shareMax = 0.005;
const countMin = 8;

/** @param rows the texts of each */
export function findFrequent(rows: readonly (readonly ReadText[])[]): Frequent {
  const rowsMax = Math.max(countMin, shareMax * rows.length);
  const shingles = frequentShingles(rows, rowsMax);
  const digests = frequentDigests(rows, rowsMax);
  return {
    rowsMax,
    isText: ({ digest }) => digests.has(digest),
    rareOf: ({ shingles: all }) => all.filter((shingle) => !shingles.has(shingle)),
  };
}

/** Sorts the shingles of all rows: a `Map` of them would take a hundred times as much memory. */
function frequentShingles(rows: readonly (readonly ReadText[])[], rowsMax: number): Set<number> {
  const size = rows.flat().reduce((sum, { shingles }) => sum + shingles.length, 0);
  const all = new Uint32Array(size);
  let end = 0;
  for (const texts of rows) {
    const own = setOf(concatenated(texts.map(({ shingles }) => shingles)));
    all.set(own, end);
    end += own.length;
  }
  const sorted = all.subarray(0, end).sort();
  const found = new Set<number>();
  for (let from = 0, at = 0; from < sorted.length; from = at) {
    while (at < sorted.length && sorted[at] === sorted[from]) at++;
    if (at - from > rowsMax) found.add(sorted[from]!);
  }
  return found;
}

function frequentDigests(rows: readonly (readonly ReadText[])[], rowsMax: number): Set<string> {
  const counts = new Map<string, number>();
  for (const texts of rows) {
    for (const digest of new Set(texts.map((text) => text.digest))) counts.set(digest, (counts.get(digest) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([digest, count]) => (count > rowsMax ? [digest] : [])));
}
