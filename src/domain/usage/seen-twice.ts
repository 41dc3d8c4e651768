import type { UsageCall } from './roll-up.ts';

/**
 * The calls that report a request which another call already reports, because two instrumentations traced it, or an SDK
 * and a span: calls with the same provider's response id, and calls close together in the tree with the same tokens of
 * the same model at the same time. Of such calls the one with the most detail about cached tokens is counted, then the
 * earliest.
 * @param prefers compares two calls before these rules: the one that sorts first is counted.
 */
export function requestsSeenTwice(
  calls: UsageCall[],
  prefers: (a: UsageCall, b: UsageCall) => number = () => 0,
): Set<string> {
  const counting = calls.filter(isCounted);
  const order = (a: UsageCall, b: UsageCall) => prefers(a, b) || cachedTokens(b) - cachedTokens(a);
  const repeated = new Set<string>();
  for (const same of groups(counting, ({ traceId, responseId }) => responseId && `${traceId} ${responseId}`)) {
    keepOne(same.toSorted(order), repeated, () => true);
  }
  const parents = new Map(calls.map(({ id, parentId }) => [id, parentId]));
  for (const same of groups(counting, ({ traceId, usage }) => `${traceId} ${tokens(usage)}`)) {
    if (same.length > sameMax || new Set(same.map(tracerOf)).size === 1) continue;
    keepOne(
      same.toSorted(order),
      repeated,
      (a, b) => isOneRequest(a, b) && (isBelowParent(a, b, parents) || isBelowParent(b, a, parents)),
    );
  }
  return repeated;
}

/** Calls grouped by a non-empty key; keys of a single call are left out. */
function groups(calls: UsageCall[], keyOf: (call: UsageCall) => string): UsageCall[][] {
  const byKey = Map.groupBy(calls, keyOf);
  byKey.delete('');
  return [...byKey.values()].filter(({ length }) => length > 1);
}

function keepOne(
  same: UsageCall[],
  repeated: Set<string>,
  isRepeated: (call: UsageCall, kept: UsageCall) => boolean,
): void {
  const kept: UsageCall[] = [];
  for (const call of same) {
    if (repeated.has(call.id)) continue;
    if (kept.some((each) => isRepeated(call, each))) repeated.add(call.id);
    else kept.push(call);
  }
}

/**
 * This many requests with equal tokens in one trace are not duplicates of two tracers, and comparing them all is slow.
 */
const sameMax = 100;

/** Tracers name their calls differently. SDK calls all come from one tracer. */
export function tracerOf({ isSpan, opName }: UsageCall): string {
  return isSpan ? opName : '';
}

/**
 * Requests side by side can use the same tokens. Only reports of two tracers about the same time span are one request.
 */
function isOneRequest(a: UsageCall, b: UsageCall): boolean {
  const isOfOneTracer = tracerOf(a) === tracerOf(b);
  const differ = a.responseId !== '' && b.responseId !== '' && a.responseId !== b.responseId;
  return !isOfOneTracer && !differ && isSameModel(a, b) && (isWithin(a, b) || isWithin(b, a));
}

/**
 * One tracer may report the requested model and another the model of the response: `gpt-4o`,
 * `openai/gpt-4o-2024-08-06`.
 */
function isSameModel(a: UsageCall, b: UsageCall): boolean {
  const [one, other] = [modelOf(a), modelOf(b)];
  return one === '' || other === '' || one.includes(other) || other.includes(one);
}

/** Without its provider; empty if no model is known. */
function modelOf({ usage: [first] }: UsageCall): string {
  const model = first?.model ?? '';
  return model === 'usage' ? '' : model.slice(model.lastIndexOf('/') + 1);
}

/** With some tolerance, because a tracer may report a stream after it has ended. */
function isWithin(inner: UsageCall, outer: UsageCall): boolean {
  if (inner.endedAt === null || outer.endedAt === null) return false;
  return inner.startedAt >= outer.startedAt - slackMicros && inner.endedAt <= outer.endedAt + slackMicros;
}

const slackMicros = 1_000_000;

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
