import type { ModelFiles } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import { newId, type ProjectId } from '../../contract/ids.ts';
import type { Caller } from '../../identity/identity.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { projectOfModelRequest } from '../project.ts';
import type { InferenceHeaders } from './request-headers.ts';

/** The call that a request becomes. */
export type Trace = {
  id: string;
  projectId: ProjectId;
  /** Writes it, once the client has its answer; with the reason where the answer is not whole. */
  end(answer: TracedAnswer, failure: Error | null): void;
  /** The same for an answer that is read again; resolves when it is durable. @throws Failure if it cannot be stored */
  store(answer: TracedAnswer, failure: Error | null): Promise<void>;
  /** Writes the start alone, for an answer that its client does not wait for; resolves when it is durable. */
  begin(answer: TracedAnswer): Promise<void>;
};

/** What is stored of an answer. */
export type TracedAnswer = {
  /** With all tokens, requested or not. */
  output(): unknown;
  /** Beside the model, in `attributes.heddle`. */
  attributes(): Record<string, unknown>;
  /** The counts of tokens, under the names that the endpoint uses. */
  usage: Record<string, unknown>;
  /** About how much memory it takes. */
  bytes: number;
};

export type TracedRequest = {
  opName: string;
  caller: Caller;
  /** The body of the request. */
  bytes: Buffer;
  headers: InferenceHeaders;
  model: ModelFiles;
  startedAt: number;
  /** The conversation, if no header names one. */
  threadId?: string | null;
};

/**
 * Where a request is stored in its call:
 * - `inputs`: the body of the request as it was sent.
 * - `output`: the answer as it is when not streamed.
 * - `attributes.heddle`: `model` with the id of the very files that answered, and what the answer adds.
 * - `summary.usage[model]`: the tokens.
 * - `thread_id`: the session that the request named, of which the call is a turn.
 */
export async function openTrace(context: Context, request: TracedRequest): Promise<Trace | null> {
  const { opName, caller, bytes, headers, model, startedAt } = request;
  if (!headers.isTraced) return null;
  const projectId = await context.identity.projectForWrite(caller, projectOfModelRequest(request));
  const [id, traceId] = [newId(), newId()];
  const author = { projectId, userId: caller.userId };
  const threadId = headers.sessionId ?? request.threadId ?? null;
  const start = (answer: TracedAnswer) => ({
    ...{ id, traceId, opName, startedAt, threadId },
    turnId: threadId && id,
    inputs: minified(bytes.toString()),
    attributes: toJson({ heddle: { model: { id: model.id, name: model.name }, ...answer.attributes() } }),
  });
  const whole = (answer: TracedAnswer, failure: Error | null, endedAt: number) => ({
    ...start(answer),
    endedAt,
    output: toJson(answer.output()),
    exception: failure?.message,
    summary: toJson({ usage: { [model.name]: { requests: 1, ...answer.usage } } }),
  });
  const { calls } = context.services;
  return {
    id,
    projectId,
    end(answer, failure) {
      const endedAt = nowMicroseconds();
      calls.recordLater(author, () => whole(answer, failure, endedAt), bytes.length + answer.bytes);
    },
    async store(answer, failure) {
      const part = await calls.makeComplete(whole(answer, failure, nowMicroseconds()), caller.userId);
      await calls.record([{ projectId, id, part }]);
    },
    async begin(answer) {
      const part = await calls.makeStart(start(answer), caller.userId);
      await calls.record([{ projectId, id, part }]);
    },
  };
}

function minified(text: string): string {
  return (parseJson(text, { keep: true }) as JsonText).text;
}
