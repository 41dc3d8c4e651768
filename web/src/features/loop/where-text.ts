import type { CallsFilter } from '../../api/saved-views.ts';
import { parseJson, recordOf } from '../../format/json.ts';
import { conditionText } from '../call/condition-text.ts';
import { filterTexts } from '../call/filter-text.ts';

/** A condition that is JSON, as the filter of Traces spells it; null for other texts, and if the filter cannot express it. */
export function whereText(where: string): string | null {
  if (!where.trimStart().startsWith('{')) return null;
  const sought = parsed(where);
  if (sought === null) return null;
  const { filter, query, $expr } = sought;
  const { topmost_calls_only, trace_roots_only, ...lists } = recordOf(filter) as CallsFilter;
  const { texts, rest } = filterTexts(lists);
  const expression = $expr ?? recordOf(query).$expr;
  const condition = expression === undefined ? '' : conditionText(expression);
  if (condition === null || Object.keys(rest).length > 0) return null;
  const all = [...texts, condition].filter((text) => text !== '').join(' ');
  if (!topmost_calls_only && !trace_roots_only) return all || 'all calls';
  return all === '' ? 'all traces' : `${all}, of traces only`;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return recordOf(parseJson(text));
  } catch {
    return null; // not typed to its end yet
  }
}
