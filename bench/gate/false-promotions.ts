import { MeanTest } from '../../src/domain/statistics/mean-test.ts';
import { alpha, studentPoint } from './fixed-size.ts';
import { momentsOf, type ThreadPairs } from './thread-pairs.ts';

/** How often each way to decide promotes a candidate that is not better than `nullMean`, of `runs`. */
export type FalsePromotions = { gate: number; rows: number; student: number; threshold: number; most: number };

/** The threshold that stands for common practice: this gain after so many threads. */
const threshold = { threads: 100, gain: 0.02 };

/**
 * Runs go on for as long as a gate with this gain could, four times what a test of a fixed size needs, and nothing else ends them:
 * candidates that the gate would have rejected before stay in.
 */
export function falsePromotions(
  pairs: ThreadPairs,
  nullMean: number,
  gap: number,
  runs: number,
  random: () => number,
): FalsePromotions {
  const most = Math.ceil((4 * 6.18 * momentsOf(pairs).variance) / gap ** 2);
  const points = Float64Array.from({ length: most + 1 }, (_, n) => (n > 1 ? studentPoint(n - 1) : Infinity));
  const found = { gate: 0, rows: 0, student: 0, threshold: 0, most };
  const rowsPerThread = Math.max(...pairs.wins);
  const order = new Int8Array(rowsPerThread);
  const test = { low: -1, high: 1, side: 'above', nullMean, gap, population: null } as const;
  const enough = -Math.log(alpha);
  for (let run = 0; run < runs; run++) {
    const ofThreads = new MeanTest(test);
    const ofRows = new MeanTest(test);
    let sum = 0;
    let squares = 0;
    let student = false;
    for (let n = 1; n <= most; n++) {
      const outcome = pairs.draw(random);
      const x = pairs.differences[outcome]!;
      if (ofThreads.peak < enough) ofThreads.add(x);
      if (ofRows.peak < enough) {
        shuffleRows(order, pairs.wins[outcome]!, pairs.losses[outcome]!, random);
        for (let row = 0; row < rowsPerThread; row++) ofRows.add(order[row]!);
      }
      sum += x - nullMean;
      squares += (x - nullMean) ** 2;
      const variance = (squares - (sum * sum) / n) / (n - 1);
      student ||= n >= 10 && variance > 0 && sum > points[n]! * Math.sqrt(n * variance);
      if (n === threshold.threads && sum >= threshold.gain * n) found.threshold++;
      if (ofThreads.peak >= enough && ofRows.peak >= enough && student && n >= threshold.threads) break;
    }
    if (ofThreads.peak >= enough) found.gate++;
    if (ofRows.peak >= enough) found.rows++;
    if (student) found.student++;
  }
  return found;
}

/** The differences of a thread's rows in a random order (Fisher and Yates). */
function shuffleRows(order: Int8Array, wins: number, losses: number, random: () => number): void {
  order.fill(0);
  order.fill(1, 0, wins);
  order.fill(-1, wins, wins + losses);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const moved = order[i]!;
    order[i] = order[j]!;
    order[j] = moved;
  }
}
