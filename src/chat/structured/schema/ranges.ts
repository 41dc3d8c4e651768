import { writeClass } from '../character-class.ts';
import { complement, type Range } from '../utf8-classes.ts';

/** All non-ASCII characters are written as the complement of ASCII, which is one class. */
export function writePlain(ranges: readonly Range[]): string {
  const last = ranges.at(-1)!;
  if (last[0] > 0x80 || last[1] < 0x10ffff) return writeClass({ isNegated: false, ranges: [...ranges] }, ' ');
  return writeClass({ isNegated: true, ranges: without([[0, 0x7f]], ranges) }, ' ');
}

export function without(ranges: readonly Range[], others: readonly Range[]): Range[] {
  const kept = complement(others);
  return ranges.flatMap(([from, to]) =>
    kept.flatMap(([low, high]): Range[] => {
      const start = Math.max(from, low);
      const end = Math.min(to, high);
      return start <= end ? [[start, end]] : [];
    }),
  );
}

export function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

export function isEverything([first]: readonly Range[]): boolean {
  return first !== undefined && first[0] === 0 && first[1] >= 0x10ffff;
}

export function has(ranges: readonly Range[], code: number): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to);
}
