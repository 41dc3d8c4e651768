/** A range of code points or of bytes, both ends included. */
export type Range = readonly [from: number, to: number];

const codePointMax = 0x10ffff;

/** Sorted, without overlaps. */
export function normalise(ranges: readonly Range[]): Range[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** All code points outside the ranges. */
export function complement(ranges: readonly Range[]): Range[] {
  const outside: Range[] = [];
  let next = 0;
  for (const [from, to] of normalise(ranges)) {
    if (from > next) outside.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= codePointMax) outside.push([next, codePointMax]);
  return outside;
}

/**
 * The UTF-8 of a set of code points as alternatives, each one range of bytes for every byte. Surrogates are left out.
 * The grammar library compares bytes, so non-ASCII characters are passed to it as bytes.
 */
export function utf8Sequences(ranges: readonly Range[]): Range[][] {
  return normalise(ranges).flatMap(([from, to]) =>
    encodable.flatMap(([low, high]) => {
      const start = Math.max(from, low);
      const end = Math.min(to, high);
      return start <= end ? sequencesBetween(bytesOf(start), bytesOf(end)) : [];
    }),
  );
}

/** Code points that have equally long encodings, surrogates excluded. */
const encodable: Range[] = [
  [0, 0x7f],
  [0x80, 0x7ff],
  [0x800, 0xd7ff],
  [0xe000, 0xffff],
  [0x10000, codePointMax],
];

function bytesOf(codePoint: number): number[] {
  return [...Buffer.from(String.fromCodePoint(codePoint), 'utf8')];
}

/** All byte strings of the same length from `low` to `high`, as few products of ranges. */
function sequencesBetween(low: number[], high: number[]): Range[][] {
  if (low.length === 1) return [[[low[0]!, high[0]!]]];
  const [lowFirst, ...lowRest] = low as [number, ...number[]];
  const [highFirst, ...highRest] = high as [number, ...number[]];
  const lowest = lowRest.map(() => 0x80);
  const highest = highRest.map(() => 0xbf);
  if (lowFirst === highFirst) return sequencesBetween(lowRest, highRest).map((rest) => [[lowFirst, lowFirst], ...rest]);

  const sequences: Range[][] = [];
  let from = lowFirst;
  let to = highFirst;
  if (!equal(lowRest, lowest)) {
    sequences.push(...sequencesBetween(lowRest, highest).map((rest): Range[] => [[lowFirst, lowFirst], ...rest]));
    from++;
  }
  const partial = !equal(highRest, highest);
  if (partial) to--;
  if (from <= to) sequences.push([[from, to], ...highRest.map((): Range => [0x80, 0xbf])]);
  if (partial) {
    sequences.push(...sequencesBetween(lowest, highRest).map((rest): Range[] => [[highFirst, highFirst], ...rest]));
  }
  return sequences;
}

function equal(a: readonly number[], b: readonly number[]): boolean {
  return a.every((byte, index) => byte === b[index]);
}
