import type { Call } from '../../api/calls.ts';
import type { RunSummary, ScorerStats } from '../../api/evaluations.ts';
import { formatCost, formatCount } from '../../format/numbers.ts';
import { Table } from '../../ui/Table.tsx';
import { Interval } from './Interval.tsx';
import { estimateOf, formatDifference, formatMetric, type Metric, statsOf } from './metrics.ts';
import { RunHeading } from './RunHeading.tsx';
import styles from './ScoreSummary.module.css';

type ScoreSummaryProps = {
  runs: Call[];
  summaries: RunSummary[];
  metrics: Metric[];
  /** Puts a run first: the others are compared with it. */
  onBaseline: (runId: string) => void;
  onRemove: (runId: string) => void;
};

/** Scores as rows by runs as columns, each with its 95 % interval and its paired difference to the first run. */
export function ScoreSummary({ runs, summaries, metrics, onBaseline, onRemove }: ScoreSummaryProps) {
  const summaryOf = (run: Call) => summaries.find(({ evaluation_call_id }) => evaluation_call_id === run.id);
  const numeric = metrics.filter(({ type }) => type !== 'text');
  return (
    <Table label="Scores by run" className={styles.scores}>
      <thead>
        <tr>
          <th scope="col" className={styles.corner}>
            Score
          </th>
          {runs.map((run, index) => (
            <th key={run.id} scope="col" className={styles.run}>
              <RunHeading
                run={run}
                index={index}
                isCompared={runs.length > 1}
                onBaseline={() => onBaseline(run.id)}
                onRemove={() => onRemove(run.id)}
              />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {numeric.map((metric) => {
          const scale = scaleOf(
            runs.map((run) => statsOf(summaryOf(run), metric)),
            metric,
          );
          return (
            <tr key={metric.key}>
              <th scope="row" className={styles.name}>
                {metric.title}
              </th>
              {runs.map((run) => (
                <td key={run.id}>
                  <Score stats={statsOf(summaryOf(run), metric)} metric={metric} scale={scale} />
                </td>
              ))}
            </tr>
          );
        })}
        <Totals name="Trials" of={(summary) => formatCount(summary.trial_count ?? 0)} {...{ runs, summaryOf }} />
        {summaries.some(({ predict_total_tokens }) => predict_total_tokens != null) && (
          <Totals
            name="Tokens"
            of={({ predict_total_tokens: tokens }) => (tokens == null ? '–' : formatCount(tokens))}
            {...{ runs, summaryOf }}
          />
        )}
        {summaries.some(({ predict_total_cost }) => predict_total_cost != null) && (
          <Totals
            name="Cost"
            of={({ predict_total_cost: cost }) => (cost == null ? '–' : formatCost(cost))}
            {...{ runs, summaryOf }}
          />
        )}
      </tbody>
    </Table>
  );
}

function Totals({
  name,
  of,
  runs,
  summaryOf,
}: {
  name: string;
  of: (summary: RunSummary) => string;
  runs: Call[];
  summaryOf: (run: Call) => RunSummary | undefined;
}) {
  return (
    <tr>
      <th scope="row" className={styles.name}>
        {name}
      </th>
      {runs.map((run) => {
        const summary = summaryOf(run);
        return <td key={run.id}>{summary ? of(summary) : '–'}</td>;
      })}
    </tr>
  );
}

function Score({ stats, metric, scale }: { stats: ScorerStats | undefined; metric: Metric; scale: [number, number] }) {
  const value = stats ? estimateOf(stats) : null;
  if (!stats || value === null) return <span className={styles.none}>–</span>;
  const { interval_95: interval, paired_difference: paired } = stats;
  return (
    <div className={styles.score}>
      <div className={styles.line}>
        <strong className={styles.value}>{formatMetric(value, metric)}</strong>
        {interval && <Interval value={value} interval={interval} scale={scale} />}
        <span className={styles.interval} title="95 % confidence interval">
          {interval ? rangeText(interval, (each) => formatMetric(each, metric)) : `${stats.count} values`}
        </span>
      </div>
      {paired && <Difference paired={paired} metric={metric} />}
    </div>
  );
}

function Difference({ paired, metric }: { paired: NonNullable<ScorerStats['paired_difference']>; metric: Metric }) {
  const { mean, interval_95: interval, count } = paired;
  const isClear = interval != null && (interval[0] > 0 || interval[1] < 0);
  const rows = `the ${formatCount(count)} ${count === 1 ? 'row' : 'rows'} that both scored`;
  return (
    <div className={styles.difference} title={`Mean difference to A over ${rows}, with its 95 % interval`}>
      <span className={isClear ? styles.clear : undefined}>
        {mean > 0 ? '▲' : mean < 0 ? '▼' : '='} {formatDifference(mean, metric)}
      </span>
      {interval && <span>{rangeText(interval, (each) => formatDifference(each, metric))}</span>}
      <span>{isClear ? 'differs' : 'no clear difference'}</span>
    </div>
  );
}

function rangeText([low, high]: [number, number], format: (value: number) => string): string {
  return `${format(low)} … ${format(high)}`;
}

/** Shares from 0 to 1; other numbers from the lowest to the highest end of their intervals. */
function scaleOf(all: (ScorerStats | undefined)[], { type }: Metric): [number, number] {
  if (type === 'binary') return [0, 1];
  const ends = all.flatMap((stats) => stats?.interval_95 ?? (stats ? (estimateOf(stats) ?? []) : []));
  return ends.length === 0 ? [0, 1] : [Math.min(0, ...ends), Math.max(...ends)];
}
