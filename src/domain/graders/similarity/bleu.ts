import { ngramCounts, ngramTotal, overlap, tokensOf13a } from './tokens.ts';

const orderMax = 4;

/** BLEU of one text from 0 to 1, as sacreBLEU's `sentence_bleu` computes it: exponential smoothing, effective order. */
export function bleu(input: string, reference: string): number {
  const [found, expected] = [tokensOf13a(input), tokensOf13a(reference)];
  const correct = orders.map((n) => overlap(ngramCounts(found, n), ngramCounts(expected, n)));
  if (correct.every((count) => count === 0)) return 0;
  let smoothing = 1;
  let logarithms = 0;
  const used = orders.filter((n) => ngramTotal(found.length, n) > 0);
  for (const n of used) {
    const count = correct[n - 1]!;
    if (count === 0) smoothing *= 2;
    logarithms += Math.log((count === 0 ? 1 / smoothing : count) / ngramTotal(found.length, n));
  }
  const brevity = found.length < expected.length ? Math.exp(1 - expected.length / found.length) : 1;
  return brevity * Math.exp(logarithms / used.length);
}

/** Google's BLEU: the smaller of precision and recall over all sequences of one to four tokens. */
export function gleu(input: string, reference: string): number {
  const [found, expected] = [tokensOf13a(input), tokensOf13a(reference)];
  const total = (length: number) => sum(orders.map((n) => ngramTotal(length, n)));
  const most = Math.max(total(found.length), total(expected.length));
  const common = sum(orders.map((n) => overlap(ngramCounts(found, n), ngramCounts(expected, n))));
  return most === 0 ? 0 : common / most;
}

const orders = Array.from({ length: orderMax }, (_, i) => i + 1);

function sum(values: number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
