import { type Distribution, type Parameter, type Point, pointOf, valueAtStep } from './sweep-plan.ts';

/** The number of values of a parameter in a grid; null if they cannot be counted. */
export function gridCount(distribution: Distribution): number | null {
  if (distribution.kind === 'values') return distribution.values.length;
  return distribution.kind === 'steps' ? distribution.count : null;
}

export function gridSize(parameters: Parameter[]): number {
  return parameters.reduce((size, { distribution }) => size * (gridCount(distribution) ?? 0), 1);
}

/** The point of a number from 0. The last parameter changes first. */
export function gridPoint(parameters: Parameter[], index: number): Point {
  const places: number[] = [];
  let rest = index;
  for (const { distribution } of parameters.toReversed()) {
    const count = gridCount(distribution)!;
    places.unshift(rest % count);
    rest = Math.floor(rest / count);
  }
  return pointOf(parameters, ({ distribution }, parameter) => gridValue(distribution, places[parameter]!));
}

function gridValue(distribution: Distribution, place: number): unknown {
  if (distribution.kind === 'values') return distribution.values[place];
  if (distribution.kind === 'steps') return valueAtStep(distribution, place);
  throw new Error(`A grid cannot have a ${distribution.kind} parameter.`);
}
