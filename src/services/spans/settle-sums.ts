import { type SummingCall, sumsThatStand } from '../../domain/usage/sums-that-stand.ts';
import type { MappedSpan } from '../../otel/mapper/mapper.ts';
import { findCountedCalls } from '../../store/clickhouse/calls/find/find-counted-calls.ts';
import type { Deps } from '../deps.ts';

/**
 * The ids of the spans whose sum of tokens stands: agents and the like report what the requests inside of them used, and
 * that counts only where those have no calls of their own. Spans end after what is inside of them, so that is in the same
 * export, or stored; the store is asked only where the export does not settle it.
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
  const traceIds = [...new Set(calls.filter(({ id }) => standing.has(id)).map(({ traceId }) => traceId))];
  const ids = new Set(here.map(({ id }) => id));
  const stored = await findCountedCalls(clickhouse, projectId, traceIds);
  const others = stored.filter(({ id }) => !ids.has(id)).map((call) => ({ ...call, isSum: false }));
  return sumsThatStand([...here, ...others]);
}

function summing({ id, parentId, isCounted, isRecord, summaryAlone }: MappedSpan): SummingCall {
  return { id, parentId, isCounted, isRecord, isSum: summaryAlone !== '' };
}
