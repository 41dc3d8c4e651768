import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Spending } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { isSilent, type ListedCall, tracesUsageQuery, withSpending } from '../../api/trace-usage.ts';
import { inPages } from './in-pages.ts';

const idsMax = 100;

/** The calls of a list of traces with what their traces use. Other lists stay as they are. */
export function useWithSpending(projectId: string, calls: Call[], areTraces: boolean): ListedCall[] {
  const pages = useMemo(() => {
    if (!areTraces) return [];
    const silent = calls.filter(isSilent);
    return inPages(
      silent.map(({ id }) => id),
      idsMax,
    );
  }, [calls, areTraces]);
  const ofTraces = useQueries({
    queries: pages.map((ids) => tracesUsageQuery(projectId, ids)),
    combine: spendingOfPages,
  });
  return useMemo(() => withSpending(calls, ofTraces), [calls, ofTraces]);
}

function spendingOfPages(pages: { data: { found: Map<string, Spending> } | undefined }[]): Map<string, Spending> {
  return new Map(pages.flatMap(({ data }) => [...(data?.found ?? [])]));
}
