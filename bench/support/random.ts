/** Numbers that look random and are the same in every run: mulberry32. */
export type Random = {
  /** From 0, below 1. */
  fraction(): number;
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
};

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(fraction() * limit);
  return { fraction, below, pick: (values) => values[below(values.length)]! };
}
