import type { RowChoice } from '../../api/evaluations.ts';
import { fieldOf, type Metric } from './metrics.ts';
import { runLetter } from './RunMark.tsx';

type Option = { value: string; label: string };

/**
 * Which rows are shown, and in which order, as values that the address keeps: `failed|{run}|{field}`, `asc|{run}|{field}` and
 * `difference||{field}`.
 */
export function showOptions(runIds: string[], metrics: Metric[]): Option[] {
  const binary = metrics.filter(({ type }) => type === 'binary');
  return [
    { value: '', label: 'All rows' },
    ...binary.flatMap((metric) =>
      runIds.map((id, index) => ({
        value: ['failed', id, fieldOf(metric)].join('|'),
        label: `${metric.title} is false${runIds.length > 1 ? ` in ${runLetter(index)}` : ''}`,
      })),
    ),
  ];
}

export function orderOptions(runIds: string[], metrics: Metric[]): Option[] {
  const isCompared = runIds.length > 1;
  return [
    { value: '', label: 'Default order' },
    ...metrics
      .filter(({ type }) => type !== 'text')
      .flatMap((metric) => [
        ...(isCompared
          ? [{ value: ['difference', '', fieldOf(metric)].join('|'), label: `Largest difference in ${metric.title}` }]
          : []),
        ...runIds.flatMap((id, index) =>
          (['asc', 'desc'] as const).map((direction) => ({
            value: [direction, id, fieldOf(metric)].join('|'),
            label: `${direction === 'asc' ? 'Lowest' : 'Highest'} ${metric.title}${isCompared ? ` in ${runLetter(index)}` : ''}`,
          })),
        ),
      ]),
  ];
}

export function showRequest(value: string): Pick<RowChoice, 'filters'> {
  const [kind, evaluation_call_id, field] = partsOf(value);
  if (kind !== 'failed' || field === '') return {};
  const query = { $expr: { $eq: [{ $getField: field }, { $literal: false }] } };
  return { filters: [{ query, evaluation_call_id }] };
}

export function orderRequest(value: string): Pick<RowChoice, 'sort_by'> {
  const [kind, evaluation_call_id, field] = partsOf(value);
  if (field === '') return {};
  if (kind === 'difference') return { sort_by: [{ field, direction: 'desc', mode: 'difference' }] };
  if (kind !== 'asc' && kind !== 'desc') return {};
  return { sort_by: [{ field, direction: kind, evaluation_call_id }] };
}

/** A field may contain the separator. */
function partsOf(value: string): [kind: string, runId: string, field: string] {
  const [kind = '', runId = '', ...field] = value.split('|');
  return [kind, runId, field.join('|')];
}
