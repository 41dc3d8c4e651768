import type { ReactNode } from 'react';
import { unpricedAmong } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import type { RunSummary, ScorerStats } from '../../api/evaluations.ts';
import { Cost } from '../../features/cost/Cost.tsx';
import { SetPrice } from '../../features/cost/SetPrice.tsx';
import { formatCount } from '../../format/numbers.ts';
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
                  <Score
                    stats={statsOf(summaryOf(run), metric)}
                    trials={summaryOf(run)?.trial_count ?? 0}
                    {...{ metric, scale }}
                  />
                </td>
              ))}
            </tr>
          );
        })}
        <Totals name="Trials" of={(summary) => formatCount(summary.trial_count ?? 0)} {...{ runs, summaryOf }} />
        {summaries.some(({ failures: { predictions, scores } }) => predictions.count + scores.count > 0) && (
          <Totals name="Failed" of={({ failures }) => <FailureList failures={failures} />} {...{ runs, summaryOf }} />
        )}
        {summaries.some(({ predict_total_tokens }) => predict_total_tokens != null) && (
          <Totals
            name="Tokens"
            of={({ predict_total_tokens: tokens }) => (tokens == null ? '–' : formatCount(tokens))}
            {...{ runs, summaryOf }}
          />
        )}
        {summaries.some(hasCost) && (
          <Totals name="Cost" of={(summary) => <RunCost summary={summary} />} {...{ runs, summaryOf }} />
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
  of: (summary: RunSummary) => ReactNode;
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

function hasCost({ predict_total_cost, predict_is_at_least }: RunSummary): boolean {
  return predict_total_cost != null || predict_is_at_least === true;
}

function RunCost({ summary }: { summary: RunSummary }) {
  if (!hasCost(summary)) return '–';
  const unpriced = unpricedAmong(summary.predict_unpriced_tokens, {
    isAtLeast: summary.predict_is_at_least,
    isEstimate: summary.predict_is_estimate,
  });
  return (
    <>
      <Cost cost={summary.predict_total_cost ?? null} unpriced={unpriced} /> <SetPrice models={unpriced.models} />
    </>
  );
}

/** How many predictions and scores failed, and why the first ones did. */
function FailureList({ failures: { predictions, scores } }: Pick<RunSummary, 'failures'>) {
  const found = [
    { noun: 'prediction', ...predictions },
    { noun: 'score', ...scores },
  ].filter(({ count }) => count > 0);
  if (found.length === 0) return '0';
  return found.map(({ noun, count, error }) => (
    <div key={noun} className={styles.failure} title={error ?? undefined}>
      {formatCount(count)} {count === 1 ? noun : `${noun}s`}: {error}
    </div>
  ));
}

type ScoreProps = { stats: ScorerStats | undefined; trials: number; metric: Metric; scale: [number, number] };

function Score({ stats, trials, metric, scale }: ScoreProps) {
  const value = stats ? estimateOf(stats) : null;
  if (!stats || value === null) return <span className={styles.none}>–</span>;
  const { interval_95: interval, paired_difference: paired, trial_count: scored = 0 } = stats;
  return (
    <div className={styles.score}>
      <div className={styles.line}>
        <strong className={styles.value}>{formatMetric(value, metric)}</strong>
        {interval && <Interval value={value} interval={interval} scale={scale} />}
        <span className={styles.interval} title="95 % confidence interval">
          {interval ? rangeText(interval, (each) => formatMetric(each, metric)) : `${stats.count} values`}
        </span>
      </div>
      {scored < trials && (
        <div className={styles.interval}>
          scored {formatCount(scored)} of {formatCount(trials)}
        </div>
      )}
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
