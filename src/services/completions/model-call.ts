import { newId, type ProjectId } from '../../contract/ids.ts';
import type { NewEnd, NewStart } from '../../domain/calls/new-call.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { Calls } from '../calls/calls.ts';
import type { Owner } from '../owner.ts';
import type { CompletionRecord } from './record.ts';

export type NewModelCall = {
  projectId: ProjectId;
  userId: string;
  opName: string;
  /** JSON text, made when it is written. */
  inputs(): string;
  startedAt?: number;
  traceId?: string | null;
  parentId?: string | null;
  threadId?: string | null;
  attributes?: Record<string, unknown>;
};

/** The call that records a request to a model. */
export type ModelCall = {
  id: string;
  traceId: string;
  projectId: ProjectId;
  /** Records nothing. @throws Failure for ids that no call can have */
  check(): Promise<void>;
  /** Records it as running; resolves when it is durable. */
  start(attributes?: Record<string, unknown>): Promise<void>;
  /** Records its end; resolves when it is durable. @throws Failure if it cannot be stored */
  end(record: CompletionRecord, failure: string | null): Promise<void>;
  /** The same in the background, once the client has its answer. `bytes` is about what `record` holds until then. */
  endLater(record: () => CompletionRecord, failure: string | null, bytes: number): void;
};

type CallWriter = Pick<Calls, 'makeStart' | 'makeComplete' | 'record' | 'recordLater'>;

/** What is recorded of a request before its response. */
export const noAnswer: CompletionRecord = { output: null, attributes: {}, summary: {} };

/** Records nothing yet. */
export function newModelCall(calls: CallWriter, call: NewModelCall): ModelCall {
  const { projectId, userId, attributes: given = {}, threadId = null, parentId = null, opName, inputs } = call;
  const id = newId();
  const traceId = call.traceId ?? newId();
  const begin = { id, traceId, parentId, threadId, turnId: threadId && id, opName };
  const startedAt = call.startedAt ?? nowMicroseconds();
  const startOf = (more: Record<string, unknown>): NewStart => ({
    ...begin,
    startedAt,
    inputs: inputs(),
    attributes: toJson({ ...given, ...more }),
  });
  const wholeOf = (record: CompletionRecord, exception: string | null, endedAt: number): NewStart & NewEnd => ({
    ...startOf(record.attributes),
    ...{ endedAt, exception, output: record.output, summary: toJson(record.summary) },
  });
  return {
    ...{ id, traceId, projectId },
    async check() {
      await calls.makeStart(startOf({}), userId);
    },
    async start(attributes = {}) {
      const part = await calls.makeStart(startOf(attributes), userId);
      await calls.record([{ projectId, id, part }]);
    },
    async end(record, failure) {
      const part = await calls.makeComplete(wholeOf(record, failure, nowMicroseconds()), userId);
      await calls.record([{ projectId, id, part }]);
    },
    endLater(record, failure, bytes) {
      const endedAt = nowMicroseconds();
      calls.recordLater({ projectId, userId }, () => wholeOf(record(), failure, endedAt), bytes);
    },
  };
}

/** The call of a request that may name its trace, its parent and its thread. @throws Failure for ids that no call can have */
export async function openModelCall(
  calls: Calls,
  { project, caller, ...call }: Owner & Omit<NewModelCall, 'projectId' | 'userId'>,
): Promise<ModelCall> {
  const traceId = call.traceId ?? (await traceOf(calls, call.parentId ?? null, project));
  const opened = newModelCall(calls, { ...call, traceId, projectId: project.id, userId: caller.userId });
  await opened.check();
  return opened;
}

/** A call without a trace id belongs to the trace of its parent. */
async function traceOf(calls: Calls, parentId: string | null, project: Owner['project']): Promise<string | null> {
  if (parentId === null || parentId === '') return null;
  const [parent] = await calls.find([parentId], { project });
  return parent?.call.traceId ?? null;
}
