import type { UsageCall } from './usage-call.ts';

/**
 * Whether two calls report one request of a model, as far as their times, models and ids say. Servers of open models number
 * their answers from 0 again and again, so equal ids alone mean nothing.
 */
export function mayBeOneRequest(a: UsageCall, b: UsageCall): boolean {
  return !haveDifferentIds(a, b) && isSameModel(a, b) && overlap(a, b);
}

export function haveEqualIds(a: UsageCall, b: UsageCall): boolean {
  return a.responseId !== '' && a.responseId === b.responseId;
}

/**
 * The tracer of a call: the instrumentation scope of a span, whatever its name. SDK calls all come from one tracer. Spans
 * that were stored without their scope are distinguished by their names.
 */
export function tracerOf({ isSpan, opName, usage }: UsageCall): string {
  if (!isSpan) return 'SDK';
  const [first] = usage;
  return first && first.tracer !== null ? `scope ${first.tracer}` : `op ${opName}`;
}

function haveDifferentIds(a: UsageCall, b: UsageCall): boolean {
  return a.responseId !== '' && b.responseId !== '' && a.responseId !== b.responseId;
}

/**
 * Calls that follow each other do not overlap, however close they are. A call without a duration is a report that was written
 * when a streamed answer had ended: of a request that had started before.
 */
function overlap(a: UsageCall, b: UsageCall): boolean {
  if (a.endedAt === null || b.endedAt === null) return false;
  if (isInstant(a) || isInstant(b)) {
    const [report, request] = isInstant(a) ? [a, b] : [b, a];
    return request.startedAt <= report.startedAt;
  }
  return Math.max(a.startedAt, b.startedAt) < Math.min(a.endedAt, b.endedAt);
}

function isInstant({ startedAt, endedAt }: UsageCall): boolean {
  return startedAt === endedAt;
}

/**
 * One tracer may report the requested model and another the model of the response: `gpt-4o`,
 * `openai/gpt-4o-2024-08-06`. `gpt-4o-mini` is another one.
 */
function isSameModel(a: UsageCall, b: UsageCall): boolean {
  const [one, other] = [modelOf(a), modelOf(b)].sort((x, y) => x.length - y.length) as [string, string];
  return one === '' || one === other || (other.startsWith(one) && versionSuffix.test(other.slice(one.length)));
}

/** Without its provider and region; empty if no model is known. */
function modelOf({ usage: [first] }: UsageCall): string {
  const model = first?.model.toLowerCase() ?? '';
  return model === 'usage' ? '' : model.replace(/^.*\//s, '').replace(/^([a-z]+\.)?[a-z0-9]+\.(?=[a-z])/, '');
}

/** A date, or a number of at least three digits. */
const versionSuffix = /^([-@:](latest|v?\d{3,}|\d{2}))+(-v\d+(:\d+)?)?$/;
