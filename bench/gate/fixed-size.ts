import { momentsOf, type ThreadPairs } from './thread-pairs.ts';

export const alpha = 0.05;
/** One-sided 5 % point of the normal distribution. */
const z = 1.6448536;

/** Student's one-sided 5 % point (Abramowitz and Stegun 26.7.5). */
export function studentPoint(degreesOfFreedom: number): number {
  return z + (z ** 3 + z) / (4 * degreesOfFreedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degreesOfFreedom ** 2);
}

export type PowerCurve = {
  /** The share of runs in which the paired t-test of the thread differences shows a mean above `nullMean`, by threads. */
  student: Float64Array;
  /** The same for the exact sign test (for single rows, McNemar's), which tests 0. */
  sign: Float64Array;
};

/** The power of tests of a fixed size, for every size up to `most`, from the same simulated threads. */
export function powerCurve(
  pairs: ThreadPairs,
  nullMean: number,
  most: number,
  runs: number,
  random: () => number,
): PowerCurve {
  const student = new Float64Array(most + 1);
  const sign = new Float64Array(most + 1);
  const points = Float64Array.from({ length: most + 1 }, (_, n) => (n > 1 ? studentPoint(n - 1) : Infinity));
  const winsNeeded = signPoints(most);
  for (let run = 0; run < runs; run++) {
    let sum = 0;
    let squares = 0;
    let wins = 0;
    let losses = 0;
    for (let n = 1; n <= most; n++) {
      const difference = pairs.differences[pairs.draw(random)]!;
      const x = difference - nullMean;
      sum += x;
      squares += x * x;
      if (difference > 0) wins++;
      else if (difference < 0) losses++;
      const variance = (squares - (sum * sum) / n) / (n - 1);
      if (n >= 5 && sum > 0 && variance > 0 && sum > points[n]! * Math.sqrt(n * variance)) student[n]! += 1 / runs;
      if (wins >= winsNeeded[wins + losses]!) sign[n]! += 1 / runs;
    }
  }
  return { student, sign };
}

/** The fewest threads with a power of 80 %, and the test that needs them. */
export function bestFixedSize(
  pairs: ThreadPairs,
  runs: number,
  random: () => number,
): { threads: number; test: string; curve: PowerCurve } {
  const { mean, variance } = momentsOf(pairs);
  const most = Math.ceil(((1.645 + 0.842) ** 2 * variance * 2.5) / mean ** 2) + 20;
  const curve = powerCurve(pairs, 0, most, runs, random);
  const student = curve.student.findIndex((power) => power >= 0.8);
  const sign = curve.sign.findIndex((power) => power >= 0.8);
  return sign > 0 && sign < student ? { threads: sign, test: 'sign', curve } : { threads: student, test: 't', curve };
}

/** For each number of pairs that differ, the fewest wins with a binomial tail of at most 5 %. */
function signPoints(most: number): Int32Array {
  const points = new Int32Array(most + 1);
  for (let n = 0; n <= most; n++) {
    let term = Math.exp(-n * Math.LN2);
    let tail = 0;
    let wins = n + 1;
    for (let k = n; k >= 0 && tail + term <= alpha; k--) {
      tail += term;
      wins = k;
      term *= k / (n - k + 1);
    }
    points[n] = wins;
  }
  return points;
}
