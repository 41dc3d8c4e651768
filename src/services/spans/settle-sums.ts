import { type SummingCall, sumsThatStand } from '../../domain/usage/sums-that-stand.ts';
import type { MappedSpan } from '../../otel/mapper/mapped-span.ts';
import { spanKey } from '../../otel/span-key.ts';
import { findCountedCalls } from '../../store/clickhouse/calls/find/find-counted-calls.ts';
import type { Deps } from '../deps.ts';

/**
 * The keys of the spans whose token sums count. Agents and similar spans report the usage of the requests inside them,
 * which counts only if those requests have no calls of their own. Spans end after the spans inside them, so these are
 * in the same export or already stored. The store is queried only if the export does not decide.
 */
export async function settleSums(
  { clickhouse }: Pick<Deps, 'clickhouse'>,
  projectId: string,
  calls: MappedSpan[],
): Promise<Set<string>> {
  if (!calls.some(({ summaryAlone }) => summaryAlone !== '')) return new Set();
  const here = calls.map(summing);
  const standing = sumsThatStand(here);
  if (standing.size === 0) return standing;
  const traceIds = [...new Set(calls.filter((call) => standing.has(spanKey(call))).map(({ traceId }) => traceId))];
  const ids = new Set(here.map(({ id }) => id));
  const stored = await findCountedCalls(clickhouse, projectId, traceIds);
  const others = stored.map((call) => ({ ...placed(call), isCounted: call.isCounted, isSum: false }));
  return sumsThatStand([...here, ...others.filter(({ id }) => !ids.has(id))]);
}

function summing(call: MappedSpan): SummingCall {
  const { isCounted, isRecord, summaryAlone } = call;
  return { ...placed(call), isCounted, isRecord, isSum: summaryAlone !== '' };
}

function placed({ traceId, id, parentId }: { traceId: string; id: string; parentId: string }) {
  return { id: spanKey({ traceId, id }), parentId: spanKey({ traceId, id: parentId }) };
}
