import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Call, failedTracesQuery } from '../api/calls.ts';
import { statusOf, weaveOf } from '../format/call.ts';

const traceIdsMax = 100;

/** The calls of a list, of which roots say so if a call of their trace failed: not every client reports this. */
export function useWithFailures(projectId: string, calls: Call[]): Call[] {
  const pages = useMemo(() => pagesOf(calls), [calls]);
  const failed = useQueries({
    queries: pages.map((traceIds) => failedTracesQuery(projectId, traceIds)),
    combine: tracesOf,
  });
  return useMemo(
    () => calls.map((call) => (isSilent(call) && failed.has(call.trace_id) ? withFailure(call) : call)),
    [calls, failed],
  );
}

function tracesOf(pages: { data: Set<string> | undefined }[]): Set<string> {
  return new Set(pages.flatMap(({ data }) => [...(data ?? [])]));
}

function pagesOf(calls: Call[]): string[][] {
  const ids = [...new Set(calls.filter(isSilent).map(({ trace_id }) => trace_id))];
  return Array.from({ length: Math.ceil(ids.length / traceIdsMax) }, (_, page) =>
    ids.slice(page * traceIdsMax, (page + 1) * traceIdsMax),
  );
}

function isSilent(call: Call): boolean {
  return call.parent_id == null && statusOf(call) === 'success';
}

function withFailure(call: Call): Call {
  return { ...call, summary: { ...call.summary, weave: { ...weaveOf(call), status: 'descendant_error' } } };
}
