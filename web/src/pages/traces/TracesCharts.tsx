import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { unpricedIn } from '../../api/call-fields.ts';
import { TimeChart } from '../../components/chart/TimeChart.tsx';
import { costText } from '../../features/cost/Cost.tsx';
import { numberOf } from '../../format/json.ts';
import { formatCost, formatCount, formatDuration, formatShort } from '../../format/numbers.ts';
import type { TimeRange } from '../../format/time-range.ts';
import styles from './TracesCharts.module.css';
import { chartRange, extentQuery, type Selection, type Stats, statsQuery } from './traces-query.ts';

type TracesChartsProps = {
  selection: Selection;
  /** The time range of the list. Without an end, the charts show what there is. */
  range: TimeRange;
  now: number;
  /** Whether the charts may be loaded now. */
  isShown: boolean;
  onSelect: (from: Date, to: Date) => void;
};

/** How many of the listed calls there were over time, how long they took and what they cost. */
export function TracesCharts({ selection, range, now, isShown, onSelect }: TracesChartsProps) {
  const { data: extent } = useQuery({ ...extentQuery(selection.projectId), enabled: isShown });
  const shown = useMemo(() => extent && chartRange(range, extent, now), [range, extent, now]);
  const { data } = useQuery({ ...statsQuery(selection, shown ?? nothing), enabled: shown != null });
  const charts = useMemo(() => data && seriesOf(data), [data]);
  if (!charts) return <div className={styles.charts} />;
  const { times, counts, latency, cost, totals } = charts;
  const select = (from: number, to: number) => onSelect(new Date(from * 1000), new Date(to * 1000));
  return (
    <div className={styles.charts}>
      <TimeChart
        title={selection.filter.topmost_calls_only ? 'Traces' : 'Calls'}
        summary={`${formatCount(totals.count)}, ${formatCount(totals.errors)} failed`}
        times={times}
        series={counts}
        format={formatShort}
        onSelect={select}
      />
      <TimeChart
        title="Latency"
        summary="median and 95th percentile"
        times={times}
        series={latency}
        format={formatDuration}
        onSelect={select}
      />
      <TimeChart
        title="Cost"
        summary={costText(totals.cost, totals.unpriced)}
        times={times}
        series={cost}
        format={formatCost}
        onSelect={select}
      />
    </div>
  );
}

const nothing = { from: new Date(0), to: new Date(0) };

function seriesOf({ call_buckets, usage_buckets }: Stats) {
  const calls = call_buckets ?? [];
  const times = calls.map(({ timestamp }) => Date.parse(String(timestamp)) / 1000);
  const numbers = (name: string) => calls.map((bucket) => numberOf(bucket[name]));
  const count = numbers('sum_call_count');
  const errors = numbers('sum_error_count');
  const costs = new Map<number, number>();
  for (const bucket of usage_buckets ?? []) {
    const time = Date.parse(String(bucket.timestamp)) / 1000;
    costs.set(time, (costs.get(time) ?? 0) + (numberOf(bucket.sum_total_cost) ?? 0));
  }
  const cost = times.map((time) => costs.get(time) ?? 0);
  return {
    times,
    counts: [
      { name: 'all', values: count, color: '--series-1', kind: 'bars' as const },
      { name: 'failed', values: errors, color: '--error', kind: 'bars' as const },
    ],
    latency: [
      { name: 'median', values: numbers('p50_latency_ms'), color: '--series-1' },
      { name: '95 %', values: numbers('p95_latency_ms'), color: '--series-2' },
    ],
    cost: [{ name: 'cost', values: cost, color: '--series-3', kind: 'bars' as const }],
    totals: {
      count: sum(count),
      errors: sum(errors),
      cost: sum(cost),
      unpriced: unpricedIn((usage_buckets ?? []).map((bucket) => ({ [String(bucket.model)]: bucket }))),
    },
  };
}

function sum(values: (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
