import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { statusOf, weaveOf } from '../../api/call-fields.ts';
import { type Call, failedTracesQuery } from '../../api/calls.ts';
import { inPages } from './in-pages.ts';

const traceIdsMax = 100;

/**
 * The calls of a list, of which those that represent their traces say so if a call of their trace failed: not every client
 * reports this. These are the roots or, if `areTopmost` is set, all calls of the list.
 */
export function useWithFailures(projectId: string, calls: Call[], areTopmost = false): Call[] {
  const isSilent = useCallback(
    (call: Call) => (areTopmost || call.parent_id == null) && statusOf(call) === 'success',
    [areTopmost],
  );
  const pages = useMemo(
    () =>
      inPages(
        calls.filter(isSilent).map(({ trace_id }) => trace_id),
        traceIdsMax,
      ),
    [calls, isSilent],
  );
  const failed = useQueries({
    queries: pages.map((traceIds) => failedTracesQuery(projectId, traceIds)),
    combine: tracesOf,
  });
  return useMemo(
    () => calls.map((call) => (isSilent(call) && failed.has(call.trace_id) ? withFailure(call) : call)),
    [calls, failed, isSilent],
  );
}

function tracesOf(pages: { data: Set<string> | undefined }[]): Set<string> {
  return new Set(pages.flatMap(({ data }) => [...(data ?? [])]));
}

function withFailure(call: Call): Call {
  return { ...call, summary: { ...call.summary, weave: { ...weaveOf(call), status: 'descendant_error' } } };
}
