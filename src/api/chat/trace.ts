import type { Answer } from '../../chat/answers/answer.ts';
import { everything } from '../../chat/answers/shown.ts';
import type { ModelFiles } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import { newId } from '../../contract/ids.ts';
import type { Caller } from '../../identity/identity.ts';
import { projectOfArtifact } from '../../services/models/artifact-model.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { ChatHeaders } from './request-headers.ts';

/** The call that a request becomes. */
export type ChatTrace = {
  id: string;
  /** Writes it, once the client has its answer; with the reason where the answer is not whole. */
  end(answer: Answer, failure: Error | null): void;
};

type TracedRequest = {
  caller: Caller;
  /** The body of the request. */
  bytes: Buffer;
  headers: ChatHeaders;
  model: ModelFiles;
  startedAt: number;
};

const chatOpName = 'heddle.chat.completions';

/**
 * Where a chat lies in its call, for whoever trains on it:
 * - `inputs`: the body of the request as it was sent.
 * - `output`: the answer in the shape of a whole completion, streamed or not, with everything in it, asked for or not:
 *   `prompt_token_ids`, and for each of `choices` `token_ids` and `logprobs.content`, one entry for each id.
 * - `attributes.heddle`: `model` with the id of the very files that answered; `sampling` with the values used, whoever
 *   gave them, and the seed of the first choice.
 * - `summary.usage[model]`: the tokens.
 * - `thread_id`: the session that the request named, of which the call is a turn.
 */
export async function openTrace(context: Context, request: TracedRequest): Promise<ChatTrace | null> {
  const { caller, bytes, headers, model, startedAt } = request;
  if (!headers.isTraced) return null;
  const project = projectOfChat(request);
  const projectId = await context.identity.projectForWrite(caller, project);
  const id = newId();
  const author = { projectId, userId: caller.userId };
  return {
    id,
    end(answer, failure) {
      const endedAt = nowMicroseconds();
      const { usage, settings } = answer;
      const make = () => {
        const { prompt_tokens_details: _, ...tokens } = usage;
        const sampling = { ...settings, seed: new JsonText(String(settings.seed)) };
        return {
          id,
          traceId: newId(),
          opName: chatOpName,
          startedAt,
          endedAt,
          threadId: headers.sessionId,
          turnId: headers.sessionId && id,
          inputs: minified(bytes.toString()),
          attributes: toJson({ heddle: { model: { id: model.id, name: model.name }, sampling } }),
          output: toJson(answer.completion(everything)),
          exception: failure?.message,
          summary: toJson({ usage: { [model.name]: { requests: 1, ...tokens } } }),
        };
      };
      context.services.calls.recordLater(author, make, bytes.length + answer.bytes);
    },
  };
}

/** The project that a chat belongs to, traced or not. */
export function projectOfChat({ caller, headers, model }: Pick<TracedRequest, 'caller' | 'headers' | 'model'>): string {
  return headers.project ?? projectOfArtifact(model.name) ?? `${caller.defaultEntity}/default`;
}

function minified(text: string): string {
  return (parseJson(text, { keep: true }) as JsonText).text;
}
