import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Spending, spendingOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { tracesUsageQuery } from '../../api/trace-usage.ts';
import { inPages } from './in-pages.ts';

/** A call in a list, and what all calls of its trace use if it represents the trace and does not say so itself. */
export type ListedCall = Call & { ofTrace?: Spending };

const idsMax = 100;

/**
 * The calls of a list of traces with what their traces use. The SDKs add the usage of a trace to its root; spans, and calls
 * whose parent is not here, report only their own.
 */
export function useWithSpending(projectId: string, calls: Call[], areTraces: boolean): ListedCall[] {
  const pages = useMemo(
    () =>
      areTraces
        ? inPages(
            calls.filter(isSilent).map(({ id }) => id),
            idsMax,
          )
        : [],
    [calls, areTraces],
  );
  const ofTraces = useQueries({
    queries: pages.map((ids) => tracesUsageQuery(projectId, ids)),
    combine: spendingOfPages,
  });
  return useMemo(
    () =>
      calls.map((call) => {
        const ofTrace = areTraces && isSilent(call) ? ofTraces.get(call.trace_id) : undefined;
        return ofTrace?.tokens ? { ...call, ofTrace } : call;
      }),
    [calls, ofTraces, areTraces],
  );
}

function isSilent(call: Call): boolean {
  return call.parent_id != null || spendingOf(call).tokens === null;
}

function spendingOfPages(pages: { data: { found: Map<string, Spending> } | undefined }[]): Map<string, Spending> {
  return new Map(pages.flatMap(({ data }) => [...(data?.found ?? [])]));
}
