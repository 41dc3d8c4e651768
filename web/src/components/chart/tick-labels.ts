import { formatNumber } from '../../format/numbers.ts';

const digitsMax = 12;

/** Numbers beside an axis, with as many digits as tell them apart: a loss may only change in its fifth. */
export function tickLabels(ticks: number[]): string[] {
  let labels = ticks.map(formatNumber);
  for (let digits = 5; digits <= digitsMax && new Set(labels).size < ticks.length; digits++)
    labels = ticks.map((tick) => String(Number(tick.toPrecision(digits))));
  return labels;
}
