import type { UsageCall } from './roll-up.ts';

/**
 * The calls that are requests another call has reported already, since two instrumentations traced them, or an SDK and a
 * span: those with the provider's id of one answer, and those near each other in the tree with the same tokens of the same
 * model at the same time. Of such calls the one that knows most of the cache counts; then the one that came first.
 *
 * @param prefers compares two calls before that: the one that sorts first counts.
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

/** Calls that share a key, which is not empty; of keys that only one call has nothing is told. */
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

/** So many requests of equal tokens in one trace are no coincidence of two tracers, and comparing them all takes long. */
const sameMax = 100;

/** Tracers name their calls differently. SDK calls all come from one tracer. */
export function tracerOf({ isSpan, opName }: UsageCall): string {
  return isSpan ? opName : '';
}

/** Requests side by side may well use the same tokens. Only what two tracers report in the same span of time is one request. */
function isOneRequest(a: UsageCall, b: UsageCall): boolean {
  const isOfOneTracer = tracerOf(a) === tracerOf(b);
  const differ = a.responseId !== '' && b.responseId !== '' && a.responseId !== b.responseId;
  return !isOfOneTracer && !differ && isSameModel(a, b) && (isWithin(a, b) || isWithin(b, a));
}

/** One tracer may report the model that was asked for and another the one that answered: `gpt-4o`, `openai/gpt-4o-2024-08-06`. */
function isSameModel(a: UsageCall, b: UsageCall): boolean {
  const [one, other] = [modelOf(a), modelOf(b)];
  return one === '' || other === '' || one.includes(other) || other.includes(one);
}

/** Without its provider; empty where no model is known. */
function modelOf({ usage: [first] }: UsageCall): string {
  const model = first?.model ?? '';
  return model === 'usage' ? '' : model.slice(model.lastIndexOf('/') + 1);
}

/** With some slack, since a tracer may write what it saw of a stream once the stream has ended. */
function isWithin(inner: UsageCall, outer: UsageCall): boolean {
  if (inner.endedAt === null || outer.endedAt === null) return false;
  return inner.startedAt >= outer.startedAt - slackMicros && inner.endedAt <= outer.endedAt + slackMicros;
}

const slackMicros = 1_000_000;

/** Whether a call is beside another one, or below something beside it; a call that is below the other is told by its sum. */
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
