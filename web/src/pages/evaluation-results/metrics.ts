import type { ResultRow, RunSummary, ScorerStats, Trial } from '../../api/evaluations.ts';
import { numberOf, recordOf, writeJson } from '../../format/json.ts';
import { formatNumber, formatPercent } from '../../format/numbers.ts';

/** One value that a scorer answers, over all runs. */
export type Metric = {
  key: string;
  title: string;
  scorer: string;
  path: string | null;
  type: ScorerStats['value_type'];
};

/** The metrics of all runs, in the order in which the first run that has them reports them. */
export function metricsOf(runs: RunSummary[]): Metric[] {
  const found = new Map<string, Metric>();
  const titles = new Set<string>();
  for (const { scorer_stats } of runs) {
    for (const { scorer_key: scorer, path = null, value_type: type } of scorer_stats) {
      const key = writeJson([scorer, path]);
      if (found.has(key)) continue;
      // A scorer may be named as the member of another one is called.
      const plain = path === null ? scorer : `${scorer}.${path}`;
      const title = path !== null && titles.has(plain) ? `${scorer} › ${path}` : plain;
      titles.add(title);
      found.set(key, { key, title, scorer, path, type });
    }
  }
  return [...found.values()];
}

export function statsOf(run: RunSummary | undefined, { scorer, path }: Metric): ScorerStats | undefined {
  return run?.scorer_stats.find((stats) => stats.scorer_key === scorer && (stats.path ?? null) === path);
}

/** The field of a metric in filters and sorting; a dot in a scorer's name is escaped. */
export function fieldOf({ scorer, path }: Metric): string {
  return ['scores', scorer.replaceAll('.', '\\.'), ...(path === null ? [] : [path])].join('.');
}

/** The mean of a metric, or the share of true values. */
export function estimateOf({ value_type, pass_rate, numeric_mean }: ScorerStats): number | null {
  return (value_type === 'binary' ? pass_rate : numeric_mean) ?? null;
}

export function formatMetric(value: number, { type }: Pick<Metric, 'type'>): string {
  return type === 'binary' ? formatPercent(value) : formatNumber(value);
}

/** `+0.33` · `−12.5 %` */
export function formatDifference(value: number, metric: Pick<Metric, 'type'>): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return sign + formatMetric(Math.abs(value), metric).replace(' %', ' pp');
}

export function trialsOf(row: ResultRow, runId: string): Trial[] {
  return row.evaluations.find(({ evaluation_call_id }) => evaluation_call_id === runId)?.trials ?? [];
}

export function scoreOf(trial: Trial, { scorer, path }: Metric): unknown {
  const score = recordOf(trial.scores)[scorer];
  return path === null ? score : memberAt(score, path);
}

/** What a row's trials of a run score: the value of one, or the mean of several; undefined if none has a value. */
export function rowScore(row: ResultRow, runId: string, metric: Metric): boolean | number | string | undefined {
  const values = trialsOf(row, runId)
    .map((trial) => scoreOf(trial, metric))
    .map((value) => numberOf(value) ?? value)
    .filter((value) => typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string');
  const [first] = values;
  if (values.every((value) => value === first)) return first;
  const numbers = values.flatMap((value) => (typeof value === 'string' ? [] : Number(value)));
  return numbers.length === 0 ? first : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

/** Whether the runs that scored a row disagree, in a metric or, without one, in any. */
export function differs(row: ResultRow, runIds: string[], metrics: Metric[]): boolean {
  return metrics.some((metric) => new Set(runIds.map((id) => rowScore(row, id, metric))).size > 1);
}

/** The member at a path whose names were joined by dots and may contain some. */
function memberAt(value: unknown, path: string): unknown {
  const record = recordOf(value);
  if (Object.hasOwn(record, path)) return record[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const found = Object.hasOwn(record, name) ? memberAt(record[name], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
