import { newId } from '../../contract/ids.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { Calls } from '../calls/calls.ts';
import type { Owner } from '../owner.ts';
import type { CompletionRecord } from './record.ts';

export type NewModelCall = Owner & {
  opName: string;
  /** JSON text. */
  inputs: string;
  traceId?: string | null;
  parentId?: string | null;
  threadId?: string | null;
  attributes?: Record<string, unknown>;
};

/** The call that records a request to a model. */
export type ModelCall = {
  id: string;
  traceId: string;
  /** Records it as running. */
  start(): Promise<void>;
  /** Records its end; resolves when it is durable. */
  end(record: CompletionRecord, failure: string | null): Promise<void>;
};

/** What is recorded of a request before its response. */
export const noAnswer: CompletionRecord = { output: null, attributes: {}, summary: {} };

/** Records nothing yet, but checks everything. @throws Failure for ids that no call can have */
export async function openModelCall(calls: Calls, call: NewModelCall): Promise<ModelCall> {
  const { project, caller, opName, inputs, parentId = null, threadId = null, attributes = {} } = call;
  const id = newId();
  const traceId = call.traceId ?? (await traceOf(calls, parentId, project)) ?? newId();
  const begin = {
    id,
    traceId,
    parentId,
    threadId,
    turnId: threadId && id,
    opName,
    inputs,
    startedAt: nowMicroseconds(),
  };
  const write = (part: CallPart) => calls.record([{ projectId: project.id, id, part }]);
  const started = await calls.makeStart({ ...begin, attributes: toJson(attributes) }, caller.userId);
  return {
    id,
    traceId,
    async start() {
      await write(started);
    },
    async end({ output, attributes: more, summary }, failure) {
      const end = { endedAt: nowMicroseconds(), output, exception: failure, summary: toJson(summary) };
      const whole = { ...begin, attributes: toJson({ ...attributes, ...more }), ...end };
      await write(await calls.makeComplete(whole, caller.userId));
    },
  };
}

/** A call without a trace id belongs to the trace of its parent. */
async function traceOf(calls: Calls, parentId: string | null, project: Owner['project']): Promise<string | null> {
  if (parentId === null || parentId === '') return null;
  const [parent] = await calls.find([parentId], { project });
  return parent?.call.traceId ?? null;
}
