import type { CallsFilter, ViewDefinition } from '../../../api/saved-views.ts';
import { conditionText, type Operand } from '../../../features/call/condition-text.ts';
import { filterTexts } from '../../../features/call/filter-text.ts';
import { numberOf, parseJson, recordOf, writeJson } from '../../../format/json.ts';
import { parseRange, rangeText } from '../../../format/time-range.ts';
import type { Search } from '../../../hooks/use-search-state.ts';
import { columnsText } from '../trace-columns.tsx';
import { operandsOf, type Query } from '../traces-query.ts';
import { viewColumnIds, viewColumns } from './view-columns.ts';

/** The part of the address that a view stores. `where` has what the filter cannot express. */
export const viewKeys = ['q', 'range', 'all', 'cols', 'sort', 'where'] as const;
export type ViewState = { [Key in (typeof viewKeys)[number]]?: string | undefined };

/** Conditions that the filter cannot express, such as those that the SDKs write. */
export type Where = { filter: CallsFilter; operands: Operand[] };

export function viewStateOf(search: Search): ViewState {
  return Object.fromEntries(viewKeys.flatMap((key) => (search[key] ? [[key, search[key]]] : [])));
}

/** What the page shows for a view. */
export function stateOfView({ filter, query, cols, columns, sort_by, time_range }: ViewDefinition): ViewState {
  const { trace_roots_only, ...others } = filter ?? {};
  const { range, rest } = takeRange(query ? operandsOf(query as Query) : []);
  const texts = rest.map(conditionText);
  const lists = filterTexts(others);
  const where = { filter: lists.rest, operands: rest.filter((_, index) => texts[index] === null) };
  const [sort] = sort_by ?? [];
  return viewStateOf({
    q: [...lists.texts, ...texts.filter((text) => text !== null)].join(' '),
    range: time_range ?? range,
    all: trace_roots_only ? undefined : '1',
    cols: textOfColumns(viewColumnIds(columns, cols)),
    sort: sort && `${sort.field}:${sort.direction}`,
    where: whereText(where),
  });
}

/** The definition that stores what the page shows. `condition` is what the server made of the filter. */
export function definitionOf(state: ViewState, condition: Query | null, columnIds: string[]): ViewDefinition {
  const { filter, operands } = parseWhere(state.where);
  const { from, to } = parseRange(state.range, Date.now());
  const isRelative = to === null;
  const time = isRelative ? [] : [atLeast(from!), { $not: [atLeast(to)] }];
  const all = [...(condition ? operandsOf(condition) : []), ...operands, ...time];
  const [, field, direction] = /^(.+):(asc|desc)$/.exec(state.sort ?? '') ?? [];
  return {
    filter:
      state.all === '1' && Object.keys(filter).length === 0
        ? null
        : { ...filter, ...(state.all === '1' ? {} : { trace_roots_only: true }) },
    query: all.length === 0 ? null : { $expr: { $and: all } },
    columns: viewColumns(columnIds),
    cols: null,
    sort_by: field === undefined ? null : [{ field, direction: direction === 'desc' ? 'desc' : 'asc' }],
    time_range: isRelative ? (state.range ?? null) : null,
  };
}

/** The conditions of an address. What cannot be read is none. */
export function parseWhere(text: string | undefined): Where {
  try {
    const { filter, operands } = recordOf(parseJson(text ?? '{}'));
    return { filter: recordOf(filter) as CallsFilter, operands: Array.isArray(operands) ? operands : [] };
  } catch {
    return { filter: {}, operands: [] };
  }
}

/** The opposite of `parseWhere`; undefined without conditions. */
export function whereText({ filter, operands }: Where): string | undefined {
  const lists = Object.entries(filter).filter(([, value]) => value !== null);
  if (lists.length + operands.length === 0) return undefined;
  return writeJson({ filter: Object.fromEntries(lists), operands });
}

function textOfColumns(ids: string[] | null): string | undefined {
  return ids === null ? undefined : columnsText(ids);
}

/** A start and an end among conditions are the time range of the page. */
function takeRange(operands: Operand[]): { range: string | undefined; rest: Operand[] } {
  const from = operands.find((each) => startIn(each) !== null);
  const to = operands.find((each) => startIn(negated(each)) !== null);
  if (from === undefined || to === undefined) return { range: undefined, rest: operands };
  const [start, end] = [startIn(from)!, startIn(negated(to))!].map((seconds) => new Date(Math.round(seconds * 1000)));
  return { range: rangeText(start!, end!), rest: operands.filter((each) => each !== from && each !== to) };
}

/** A time as the SDKs write it: in seconds. */
function atLeast(time: Date): Operand {
  return { $gte: [{ $getField: 'started_at' }, { $literal: time.getTime() / 1000 }] };
}

function startIn(operand: Operand): number | null {
  const [field, literal] = listOf(recordOf(operand).$gte).map(recordOf);
  return field?.$getField === 'started_at' ? numberOf(literal?.$literal) : null;
}

function negated(operand: Operand): Operand {
  return listOf(recordOf(operand).$not)[0];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
