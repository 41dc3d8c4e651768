import type { CallPart } from '../../../../../../domain/calls/part.ts';
import { newYear } from '../../../testing/call-store.ts';

let calls = 0;

/** A call of the project `p`. */
export const newCall = () => ({ projectId: 'p', id: `call${String(++calls).padStart(12, '0')}` });

export function start(name: string, startedAt = newYear, more = {}): CallPart & { kind: 'start' } {
  const texts = { parentId: '', threadId: '', turnId: '', opName: name, displayName: '', wbUserId: 'u', wbRunId: '' };
  const payloads = { attributes: '{}', inputs: `{"of":"${name}"}`, otelDump: '', inputRefs: [] };
  const fields = { traceId: 't', startedAt, mapperVersion: 0, wbRunStep: null, ...texts, ...payloads, ...more };
  return { kind: 'start', start: fields };
}

export function end(name: string, endedAt = newYear + 1e6): CallPart & { kind: 'end' } {
  const fields = { endedAt, exception: '', summary: '{}', outputRefs: [], wbRunStepEnd: null };
  return { kind: 'end', end: { ...fields, output: `"${name}"` } };
}

export function complete(name: string, startedAt = newYear): CallPart {
  return { kind: 'complete', start: start(name, startedAt).start, end: end(name).end };
}

export const rename = (displayName: string): CallPart => ({ kind: 'rename', displayName });
