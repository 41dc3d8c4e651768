import { writeJson } from '../../format/json.ts';
import { type Query, withRange } from './traces-query.ts';
import type { useOpenView } from './views/use-open-view.ts';
import { parseWhere, type ViewState } from './views/view-state.ts';

/** Which chats a loop collects: a saved view, or a condition. */
export type LoopChats = {
  view: string;
  where: string;
  /** Whether the time range of the page is left out. */
  isWithoutRange: boolean;
};

/**
 * What the page shows as the chats of a loop: the open view, or the filter as JSON. A loop collects chats for a long time, so it does not
 * take the time range of the page.
 */
export function loopChats(
  state: ViewState,
  condition: Query | null,
  { view, isChanged }: Pick<ReturnType<typeof useOpenView>, 'view' | 'isChanged'>,
): LoopChats {
  if (view && !isChanged) return { view: view.name, where: '', isWithoutRange: false };
  const { filter, operands } = parseWhere(state.where);
  const isRootsOnly = state.all !== '1';
  const where = {
    ...{ filter: { ...filter, ...(isRootsOnly ? { topmost_calls_only: true } : {}) } },
    query: withRange(condition, operands, { from: null, to: null }),
  };
  return { view: '', where: writeJson(where), isWithoutRange: state.range !== undefined };
}
