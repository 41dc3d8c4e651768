import type { FoundCall } from '../../domain/calls/found-call.ts';
import type { AnswerInLineage, CallInLineage } from '../../domain/lineage/lineage.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** Neither inputs nor output, which can be large. */
export const smallColumns = new Set(['id', 'trace_id', 'op_name', 'display_name', 'started_at', 'attributes'] as const);

export function callInLineage(call: FoundCall): CallInLineage {
  const { id, opName, displayName, traceId, startedAt } = call;
  return { id, opName, displayName, traceId, startedAt, adapterId: answerOf(call)?.adapterId ?? null };
}

/** What `attributes.heddle` says of the model, if it is there. */
export function answerOf({ attributes }: FoundCall): AnswerInLineage | null {
  const heddle = attributes === '' ? null : parsePlain(attributes)?.heddle;
  if (!isObject(heddle) || !isObject(heddle.model)) return null;
  const { id, name, adapter } = heddle.model;
  if (typeof id !== 'string' || typeof name !== 'string') return null;
  const policy = isObject(heddle.assignment) ? heddle.assignment.policy : null;
  return {
    model: name,
    baseModelId: id,
    adapterId: typeof adapter === 'string' ? adapter : null,
    policy: typeof policy === 'string' ? policy : null,
  };
}
