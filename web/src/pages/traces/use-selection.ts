import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useProject } from '../../features/use-project.ts';
import { parseRange } from '../../format/time-range.ts';
import type { Search } from '../../hooks/use-search-state.ts';
import { parsedQuery, type Query, type Selection, withRange } from './traces-query.ts';
import type { Sort } from './use-traces.ts';
import { parseWhere } from './views/view-state.ts';

/** Which calls the address selects. */
export function useSelection(search: Search) {
  const { id: projectId } = useProject();
  const text = search.q ?? '';
  const isRootsOnly = search.all !== '1';
  const parsed = useQuery(parsedQuery(text));
  // While the text is incomplete or invalid, the previous list stays.
  const [condition, setCondition] = useState<Query | null>(null);
  if (parsed.data !== undefined && parsed.data !== condition) setCondition(parsed.data);
  // The time range stays the same while only other parts of the page change.
  const { range, now } = useMemo(
    () => ({ range: parseRange(search.range, Date.now()), now: Date.now() }),
    [search.range],
  );
  const where = useMemo(() => parseWhere(search.where), [search.where]);
  const query = useMemo(() => withRange(condition, where.operands, range), [condition, where, range]);
  const selection = useMemo(
    (): Selection => ({ projectId, filter: { ...where.filter, topmost_calls_only: isRootsOnly }, query }),
    [projectId, where, isRootsOnly, query],
  );
  return { selection, parsed, text, isRootsOnly, range, now, sort: sortOf(search.sort) };
}

/** `field:desc`, as the address keeps it. */
function sortOf(text: string | undefined): Sort | null {
  const [, field, direction] = /^(.+):(asc|desc)$/.exec(text ?? '') ?? [];
  return field === undefined ? null : { field, isDescending: direction === 'desc' };
}
