import type { CallRow } from '../../../../domain/calls/call-row.ts';
import { reportsTokens, usageOfCall } from '../../../../domain/usage/summary-usage.ts';
import type { UsageCall } from '../../../../domain/usage/usage-call.ts';
import { parsePlain } from '../../../../util/json/parse.ts';

/** Calls are compared within one trace only. */
export const ofOneTrace = '';

/** Keeps nothing of the request that the row was in. */
export function toUsageCall(row: CallRow): UsageCall {
  const { startedAt, endedAt, mapperVersion, attributes, summary } = row;
  const isSpan = mapperVersion > 0;
  const hasTokens = reportsTokens(summary);
  return {
    id: copied(row.id),
    parentId: copied(row.parentId),
    traceId: ofOneTrace,
    startedAt,
    endedAt,
    isSpan,
    opName: hasTokens ? copied(row.opName) : '',
    responseId: isSpan && hasTokens ? responseIdOf(attributes) : '',
    usage: hasTokens ? usageOfCall(row) : [],
  };
}

function responseIdOf(attributes: string): string {
  if (!attributes.includes('"response_id"')) return '';
  const { response_id: id } = parsePlain(attributes) as { response_id?: unknown };
  return typeof id === 'string' ? id : '';
}

/** A copy that does not keep the request body that the string was cut from in memory. */
function copied(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString(); // shorter strings are never slices
}
