import { haveEqualIds, mayBeOneRequest, tracerOf } from './same-request.ts';
import type { UsageCall } from './usage-call.ts';

/**
 * The calls that report a request which another call already reports, because two instrumentations traced it, or an SDK
 * and a span. They have the same tokens of the same model and overlap in time; either they also have the provider's
 * response id in common, or they are of two tracers and close together in the tree. Of such calls the one with the most
 * detail about cached tokens is counted, then the earliest.
 * @param prefers compares two calls before these rules: the one that sorts first is counted.
 */
export function requestsSeenTwice(
  calls: UsageCall[],
  prefers: (a: UsageCall, b: UsageCall) => number = () => 0,
): Set<string> {
  const counting = calls.filter(isCounted);
  const order = (a: UsageCall, b: UsageCall) => prefers(a, b) || cachedTokens(b) - cachedTokens(a);
  const repeated = new Set<string>();
  const ofResponse = ({ traceId, responseId, usage }: UsageCall) =>
    responseId && `${traceId} ${responseId} ${tokens(usage)}`;
  for (const same of groups(counting, ofResponse)) {
    if (same.length <= sameMax) keepOne(same.toSorted(order), repeated, haveEqualIds, () => true);
  }
  const parents = new Map(calls.map(({ id, parentId }) => [id, parentId]));
  const areClose = (a: UsageCall, b: UsageCall) => isBelowParent(a, b, parents) || isBelowParent(b, a, parents);
  for (const same of groups(counting, ({ traceId, usage }) => `${traceId} ${tokens(usage)}`)) {
    if (same.length > sameMax || new Set(same.map(tracerOf)).size === 1) continue;
    keepOne(same.toSorted(order), repeated, areClose, (tracer, seenBy) => !seenBy.has(tracer));
  }
  return repeated;
}

/** Calls grouped by a non-empty key; keys of a single call are left out. */
function groups(calls: UsageCall[], keyOf: (call: UsageCall) => string): UsageCall[][] {
  const byKey = Map.groupBy(calls, keyOf);
  byKey.delete('');
  return [...byKey.values()].filter(({ length }) => length > 1);
}

/**
 * Keeps one call of each request. `mayReport` says whether a tracer can be another one that reports a request: a tracer
 * reports each only once, so of several requests with equal tokens each takes one call of each other tracer.
 */
function keepOne(
  same: UsageCall[],
  repeated: Set<string>,
  belong: (call: UsageCall, kept: UsageCall) => boolean,
  mayReport: (tracer: string, seenBy: Set<string>) => boolean,
): void {
  const kept: { call: UsageCall; seenBy: Set<string> }[] = [];
  for (const call of same) {
    if (repeated.has(call.id)) continue;
    const tracer = tracerOf(call);
    const request = kept.find(
      (each) => mayReport(tracer, each.seenBy) && mayBeOneRequest(call, each.call) && belong(call, each.call),
    );
    if (request) {
      repeated.add(call.id);
      request.seenBy.add(tracer);
    } else kept.push({ call, seenBy: new Set([tracer]) });
  }
}

/**
 * This many requests with equal tokens in one trace are not duplicates of two tracers, and comparing them all is slow.
 */
const sameMax = 100;

/** Whether a call is a sibling of another one or below a sibling; a call below the other one is handled by its sum. */
function isBelowParent(call: UsageCall, beside: UsageCall, parents: Map<string, string>): boolean {
  if (beside.parentId === '') return false;
  let above: string | undefined = call.parentId;
  for (let steps = 0; above && steps < stepsMax; steps++) {
    if (above === beside.id) return false;
    if (above === beside.parentId) return true;
    above = parents.get(above);
  }
  return false;
}

const stepsMax = 5;

function tokens(usage: UsageCall['usage']): string {
  return usage.map(({ input, output }) => `${input}+${output}`).join(' ');
}

export function isCounted({ usage }: UsageCall): boolean {
  return usage.some(({ input, output }) => input + output > 0);
}

export function cachedTokens({ usage }: UsageCall): number {
  return usage.reduce((sum, { cacheRead, cacheCreation }) => sum + cacheRead + cacheCreation, 0);
}
