import type { ChartSeries } from '../../components/chart/TimeChart.tsx';
import { costText } from '../../features/cost/Cost.tsx';
import { formatCost, formatCount, formatDuration, formatPercent, formatShort } from '../../format/numbers.ts';
import { type Measured, type MeasuredGroup, sum, unpricedOfAll } from './measured.ts';

export type Chart = {
  title: string;
  /** The sum or the meaning, in words. */
  summary: string;
  series: ChartSeries[];
  format: (value: number) => string;
  /** What the list shows of what is charted. */
  drill: { label: string; q?: string; sort?: string };
};

const slowestFirst = 'summary.weave.latency_ms:desc';
const formatTokens = (value: number) => `${formatShort(value)} tok`;

/** The charts of all calls together. */
export function chartsOfAll({ groups: [all] }: Measured): Chart[] {
  if (!all) return [];
  const [calls, failed] = [sum(all.calls), sum(all.failed)];
  return [
    {
      ...{ title: 'Calls', summary: `${formatCount(calls)}, ${formatCount(failed)} failed`, format: formatShort },
      drill: { label: 'Show these calls' },
      series: [bars('all', all.calls, '--series-1'), bars('failed', all.failed, '--error')],
    },
    {
      ...{
        title: 'Errors',
        summary: `${formatPercent(calls === 0 ? 0 : failed / calls)} of calls`,
        format: formatPercent,
      },
      drill: { label: 'Show failed calls', q: 'status:error' },
      series: [line('failed', shareOf(all), '--error')],
    },
    {
      ...{ title: 'Latency', summary: 'median and 95th percentile', format: formatDuration },
      drill: { label: 'Show the slowest calls', sort: slowestFirst },
      series: [line('median', all.median, '--series-1'), line('95 %', all.slow, '--series-2')],
    },
    {
      title: 'Tokens',
      summary: `${formatCount(sum(all.input))} in, ${formatCount(sum(all.output))} out`,
      format: formatTokens,
      drill: { label: 'Show these calls' },
      series: [line('in', all.input, '--series-1'), line('out', all.output, '--series-2')],
    },
    {
      ...{ title: 'Cost', summary: costText(sum(all.cost), all.unpriced), format: formatCost },
      drill: { label: 'Show these calls' },
      series: [bars('cost', all.cost, '--series-3')],
    },
  ];
}

/** The same by group, with one line for each. */
export function chartsByGroup({ groups }: Measured): Chart[] {
  const lines = (values: (group: MeasuredGroup) => (number | null)[]) =>
    groups.map((group, index) => line(group.title, values(group), colorOf(index)));
  const total = (values: (group: MeasuredGroup) => number[]) => sum(groups.map((group) => sum(values(group))));
  const calls = total((group) => group.calls);
  const failed = total((group) => group.failed);
  return [
    {
      ...{ title: 'Calls', summary: formatCount(calls), format: formatShort },
      drill: { label: 'Show these calls' },
      series: lines((group) => group.calls),
    },
    {
      ...{ title: 'Errors', summary: `${formatCount(failed)} calls failed`, format: formatPercent },
      drill: { label: 'Show failed calls', q: 'status:error' },
      series: lines(shareOf),
    },
    {
      ...{ title: 'Median latency', summary: 'half of the calls took longer', format: formatDuration },
      drill: { label: 'Show the slowest calls', sort: slowestFirst },
      series: lines((group) => group.median),
    },
    {
      title: 'Tokens',
      summary: formatCount(total((group) => group.input) + total((group) => group.output)),
      format: formatTokens,
      drill: { label: 'Show these calls' },
      series: lines((group) => group.input.map((input, index) => input + group.output[index]!)),
    },
    {
      ...{
        title: 'Cost',
        summary: costText(
          total((group) => group.cost),
          unpricedOfAll(groups),
        ),
        format: formatCost,
      },
      drill: { label: 'Show these calls' },
      series: lines((group) => group.cost),
    },
  ];
}

/** The token of the colour of a group; there are as many as groups are measured. */
export function colorOf(index: number): string {
  return `--series-${index + 1}`;
}

function shareOf({ calls, failed }: MeasuredGroup): (number | null)[] {
  return calls.map((count, index) => (count === 0 ? null : failed[index]! / count));
}

function line(name: string, values: (number | null)[], color: string): ChartSeries {
  return { name, values, color };
}

function bars(name: string, values: number[], color: string): ChartSeries {
  return { name, values, color, kind: 'bars' };
}
