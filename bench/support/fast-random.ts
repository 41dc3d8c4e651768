/**
 * Fractions from 0, below 1, for simulations that draw billions of them: sfc32 (Doty-Humphrey, PractRand). Streams of different
 * seeds do not overlap in practice; those of mulberry32 in `random.ts` are parts of one cycle of 2 ** 32 numbers.
 */
export function fastRandom(seed: number, stream: number): () => number {
  let a = seed | 0;
  let b = stream | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const fraction = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 16; i++) fraction(); // until the seed has reached all of the state
  return fraction;
}
