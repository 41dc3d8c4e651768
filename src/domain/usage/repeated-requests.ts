import { tracerOf } from './same-request.ts';
import { cachedTokens, isCounted, requestsSeenTwice } from './seen-twice.ts';
import type { UsageCall } from './usage-call.ts';

/**
 * The calls of a trace whose tokens are counted at other calls: requests that two tracers report, side by side or one
 * inside the other. SDKs add the usage of calls to their parents, and this is not undone; a call of an SDK is therefore
 * counted in preference to a span, because sums above it contain its tokens.
 */
export function repeatedRequests(calls: UsageCall[]): Set<string> {
  const repeated = requestsSeenTwice(calls, (a, b) => Number(isSummedAbove(b)) - Number(isSummedAbove(a)));
  const children = Map.groupBy(calls, ({ parentId }) => parentId);
  const visited = new Set<string>();

  /** The counted requests of a call and all below it. */
  function requestsOf(call: UsageCall): UsageCall[] {
    if (visited.has(call.id)) return [];
    visited.add(call.id);
    const inside = (children.get(call.id) ?? []).flatMap(requestsOf);
    if (!isCounted(call) || repeated.has(call.id)) return inside;
    const isOfOneReporter = inside.some((each) => reporterOf(each) === reporterOf(call));
    if (inside.length === 0 || isOfOneReporter || !hasTokensOf(call, inside)) return [call, ...inside];
    const kept = keptOf(call, inside);
    for (const each of [call, ...inside]) if (!kept.includes(each) && each.isSpan) repeated.add(each.id);
    return kept;
  }

  const ids = new Set(calls.map(({ id }) => id));
  for (const call of calls) if (!ids.has(call.parentId)) requestsOf(call);
  for (const call of calls) requestsOf(call); // calls whose parent links form a cycle
  return repeated;
}

/** Whether any of these calls could be repeated if they were elsewhere in the tree, or other calls without tokens between them. */
export function couldBeRepeated(calls: UsageCall[]): boolean {
  const counted = calls.filter(isCounted);
  const responses = counted.map(({ responseId }) => responseId).filter((id) => id !== '');
  return new Set(counted.map(reporterOf)).size > 1 || new Set(responses).size < responses.length;
}

/** A tracer gives a request and what is around it different names. */
export function reporterOf(call: UsageCall): string {
  return call.isSpan ? `${tracerOf(call)} ${call.opName}` : tracerOf(call);
}

/** Which calls are counted, of a call and those inside it that have the same tokens together. */
function keptOf(outer: UsageCall, inside: UsageCall[]): UsageCall[] {
  const areSpans = inside.every(({ isSpan }) => isSpan);
  if (!outer.isSpan) return areSpans ? [outer] : inside;
  const knowsMore = cachedTokens(outer) > inside.reduce((sum, each) => sum + cachedTokens(each), 0);
  return knowsMore && areSpans ? [outer] : inside;
}

/** Whether an SDK adds the tokens of a call to those of its parent. */
function isSummedAbove({ isSpan, parentId }: UsageCall): boolean {
  return !isSpan && parentId !== '';
}

function hasTokensOf(outer: UsageCall, inside: UsageCall[]): boolean {
  const sum = (calls: UsageCall[], name: 'input' | 'output') =>
    calls.reduce((total, { usage }) => usage.reduce((more, each) => more + each[name], total), 0);
  return sum([outer], 'input') === sum(inside, 'input') && sum([outer], 'output') === sum(inside, 'output');
}
