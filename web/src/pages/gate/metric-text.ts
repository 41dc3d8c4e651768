import type { Gate } from '../../api/gates.ts';
import { formatCost, formatDuration, formatNumber, formatPercent } from '../../format/numbers.ts';

export type PlannedMetric = Pick<Gate['plan']['target'], 'name' | 'source' | 'measure' | 'better'>;

/** What is compared: `exact_match`, or `share of rows with latency above 2 s`. */
export function metricTitle({ name, source, measure }: PlannedMetric): string {
  switch (measure.kind) {
    case 'score':
      return name;
    case 'share-above':
      return `share of rows with ${name} above ${inUnits(measure.limit, source)}`;
    case 'capped':
      return `${name}, at most ${inUnits(measure.cap, source)}`;
    case 'quantile':
      return `${formatPercent(measure.quantile)} quantile of ${name} up to ${inUnits(measure.limit, source)}`;
    default:
      return measure satisfies never;
  }
}

/** Of scores that are not from 0 to 1. */
export function rangeText({ measure }: PlannedMetric): string {
  if (measure.kind !== 'score' || (measure.low === 0 && measure.high === 1)) return '';
  return `, from ${formatNumber(measure.low)} to ${formatNumber(measure.high)}`;
}

/** How much of a metric, without a sign: `0.04` · `5 pp` · `1.2 s`. */
export function formatAmount(amount: number, { source, measure }: PlannedMetric): string {
  if (measure.kind === 'score') return formatNumber(rounded(amount));
  if (measure.kind === 'capped') return inUnits(rounded(amount), source);
  return formatPercent(amount).replace(' %', ' pp');
}

/** `+0.04` · `−5 pp` */
export function formatGap(gap: number, metric: PlannedMetric): string {
  const amount = formatAmount(Math.abs(gap), metric);
  const isZero = Number.parseFloat(amount.replace('$', '')) === 0;
  return `${isZero ? '' : gap > 0 ? '+' : '−'}${amount}`;
}

/** `+0.04 … +0.09` */
export function formatBounds(lower: number, upper: number, metric: PlannedMetric): string {
  return `${formatGap(lower, metric)} … ${formatGap(upper, metric)}`;
}

/** `0.004` · `< 0.0001` */
export function formatPValue(value: number): string {
  return value < 0.0001 ? '< 0.0001' : String(Number(Math.min(1, value).toPrecision(2)));
}

function inUnits(value: number, source: string): string {
  if (source === 'latency') return formatDuration(value * 1000);
  if (source === 'cost') return formatCost(value);
  return source === 'output_tokens' ? `${formatNumber(value)} tokens` : formatNumber(value);
}

/** Bounds are estimates: a fourth digit after the point says nothing. */
function rounded(amount: number): number {
  return Math.abs(amount) < 0.01 ? Number(amount.toPrecision(2)) : Number(amount.toFixed(3));
}
