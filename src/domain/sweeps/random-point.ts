import { createHash } from 'node:crypto';
import { type Distribution, type Parameter, type Point, pointOf, valueAtStep } from './sweep-plan.ts';

/** A random point. The same seed and number of the run give the same point. */
export function randomPoint(parameters: Parameter[], seed: string, index: number): Point {
  return pointOf(parameters, ({ path, distribution }) => draw(distribution, numbersOf([seed, index, path])));
}

/** Two numbers from 0 up to 1, exclusive. */
function numbersOf(key: unknown[]): [number, number] {
  const digest = createHash('sha256').update(JSON.stringify(key)).digest();
  return [digest.readUIntBE(0, 6) / 2 ** 48, digest.readUIntBE(6, 6) / 2 ** 48];
}

function draw(distribution: Distribution, [a, b]: [number, number]): unknown {
  switch (distribution.kind) {
    case 'values':
      return distribution.values[placeOf(distribution, a)];
    case 'steps':
      return valueAtStep(distribution, Math.floor(a * distribution.count));
    case 'uniform':
      return distribution.min + a * (distribution.max - distribution.min);
    case 'logUniform':
      return distribution.min * (distribution.max / distribution.min) ** a;
    case 'normal': // Box-Muller
      return distribution.mu + distribution.sigma * Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);
    default:
      return distribution satisfies never;
  }
}

function placeOf({ values, probabilities }: { values: unknown[]; probabilities: number[] | null }, a: number): number {
  if (probabilities === null) return Math.floor(a * values.length);
  let sum = 0;
  const place = probabilities.findIndex((probability) => {
    sum += probability;
    return a < sum;
  });
  return place === -1 ? probabilities.findLastIndex((probability) => probability > 0) : place; // the sum is 1, but for rounding
}
