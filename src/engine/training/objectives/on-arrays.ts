import type { Algebra } from './algebra.ts';

/** Computes objectives on arrays with one element for each target. @param results the result of each target */
export function arrayAlgebra(results: readonly string[]): Algebra<Float64Array> {
  const { length } = results;
  const each = (compute: (a: number, b: number) => number) => (a: Float64Array, b: Float64Array) =>
    Float64Array.from({ length }, (_, i) => compute(a[i]!, b[i]!));
  return {
    scalar: (value) => new Float64Array(length).fill(value),
    add: each((a, b) => a + b),
    subtract: each((a, b) => a - b),
    multiply: each((a, b) => a * b),
    exp: (a) => a.map(Math.exp),
    min: each(Math.min),
    max: each(Math.max),
    less: each((a, b) => Number(a < b)),
    where: (condition, a, b) => condition.map((isTrue, i) => (isTrue ? a[i]! : b[i]!)),
    meanOfResult: (a) => meanOf(a, results),
  };
}

function meanOf(values: Float64Array, groups: readonly string[]): Float64Array {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const [i, value] of values.entries()) {
    const before = sums.get(groups[i]!) ?? { sum: 0, count: 0 };
    sums.set(groups[i]!, { sum: before.sum + value, count: before.count + 1 });
  }
  return values.map((_, i) => {
    const { sum, count } = sums.get(groups[i]!)!;
    return sum / count;
  });
}
