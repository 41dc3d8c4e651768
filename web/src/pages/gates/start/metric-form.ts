import type { GateRequest } from '../../../api/gates.ts';

/** What is compared, as the form says it. Numbers are kept as they are typed. */
export type MetricForm = {
  metric: string;
  kind: 'score' | 'share_above' | 'capped' | 'quantile';
  /** The range of a score. */
  low: string;
  high: string;
  /** Of a share or a quantile; the cap of a mean. */
  limit: string;
  quantile: string;
  /** Empty for the usual: scores should be high, all others low. */
  better: '' | 'higher' | 'lower';
};

/** The metrics that answers have without a scorer, with their units. */
export const measuredMetrics = [
  { metric: 'latency', unit: 'seconds' },
  { metric: 'cost', unit: 'US dollars' },
  { metric: 'output_tokens', unit: 'tokens' },
] as const;

export const newScore: MetricForm = {
  ...{ metric: '', kind: 'score', low: '0', high: '1', limit: '5', quantile: '0.95', better: '' },
};

export function unitOf({ metric }: MetricForm): string | undefined {
  return measuredMetrics.find((each) => each.metric === metric.trim())?.unit;
}

export function isWithoutBounds(form: MetricForm): boolean {
  return form.kind === 'score' && unitOf(form) !== undefined;
}

export function betterOf(form: MetricForm): 'higher' | 'lower' {
  return form.better || (unitOf(form) === undefined ? 'higher' : 'lower');
}

/** The same form with another kind, and a metric that usually goes with it. */
export function withKind(form: MetricForm, kind: MetricForm['kind']): MetricForm {
  const isMeasured = unitOf(form) !== undefined;
  if (kind === 'score') return { ...form, kind, metric: isMeasured ? '' : form.metric };
  return { ...form, kind, metric: form.metric || 'latency' };
}

/** The numbers that its kind needs. */
export function numbersOf({ kind, low, high, limit, quantile }: MetricForm): string[] {
  switch (kind) {
    case 'score':
      return [low, high];
    case 'share_above':
    case 'capped':
      return [limit];
    case 'quantile':
      return [quantile, limit];
    default:
      return kind satisfies never;
  }
}

/** The metric of a request; without a name, it is that of the target. */
export function requestedMetric(form: MetricForm, target: string): Omit<GateRequest['target'], 'gain'> {
  const better = form.better === '' ? {} : { better: form.better };
  return { metric: form.metric.trim() || target, measure: measureOf(form), ...better };
}

function measureOf({ kind, low, high, limit, quantile }: MetricForm): GateRequest['target']['measure'] {
  switch (kind) {
    case 'score':
      return { kind, low: Number(low), high: Number(high) };
    case 'share_above':
      return { kind, limit: Number(limit) };
    case 'capped':
      return { kind, cap: Number(limit) };
    case 'quantile':
      return { kind, quantile: Number(quantile), limit: Number(limit) };
    default:
      return kind satisfies never;
  }
}
