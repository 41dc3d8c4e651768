/** Fractions from 0, below 1, that are the same in every run: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The difference of a pair: 1, −1 or 0. */
export function drawPair(random: () => number, wins: number, losses: number): number {
  const place = random();
  return place < wins ? 1 : place < wins + losses ? -1 : 0;
}

/** The most of `runs` that are above a share of 5 % by chance: exceeded once in a thousand by a share of just 5 %. */
export function mostOf(runs: number, share = 0.05): number {
  return share * runs + 3.1 * Math.sqrt(runs * share * (1 - share));
}
