import type { ModelFiles } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import { newId } from '../../contract/ids.ts';
import { completeToPart } from '../../domain/calls/from-wire.ts';
import type { Caller } from '../../identity/identity.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { wireContext } from '../calls/wire-context.ts';
import type { Answer } from './answer.ts';
import type { ChatHeaders } from './request-headers.ts';
import { projectOfArtifact } from './served-model.ts';
import { everything } from './shown.ts';

/** The call that a request becomes. */
export type ChatTrace = {
  /** Writes it, once the client has its answer; with the reason where the answer is not whole. */
  end(answer: Answer, failure: Error | null): void;
};

type Asked = {
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
export async function openTrace(context: Context, asked: Asked): Promise<ChatTrace | null> {
  const { caller, bytes, headers, model, startedAt } = asked;
  if (!headers.isTraced) return null;
  const project = projectOfChat(asked);
  const projectId = await context.identity.projectForWrite(caller, project);
  const id = newId();
  return {
    end(answer, failure) {
      const endedAt = nowMicroseconds();
      const { usage, settings } = answer;
      const make = () => {
        const { prompt_tokens_details: _, ...tokens } = usage;
        const sampling = { ...settings, seed: new JsonText(String(settings.seed)) };
        const call = {
          ...{ project_id: project, id, trace_id: newId(), op_name: chatOpName, display_name: null },
          ...{ parent_id: null, started_at: startedAt, ended_at: endedAt },
          ...{ thread_id: headers.sessionId, turn_id: headers.sessionId && id },
          ...{ otel_dump: null, wb_user_id: null, wb_run_id: null, wb_run_step: null, wb_run_step_end: null },
          inputs: parseJson(bytes.toString(), { keep: true }) as JsonText,
          attributes: jsonText({ heddle: { model: { id: model.id, name: model.name }, sampling } }),
          output: jsonText(answer.completion(everything)),
          exception: failure?.message ?? null,
          summary: jsonText({ usage: { [model.name]: { requests: 1, ...tokens } } }),
        };
        return { projectId, id, part: completeToPart(call, wireContext(context, caller, null)) };
      };
      context.laterCalls.write(make, bytes.length + answer.bytes);
    },
  };
}

/** The project that a chat belongs to, traced or not. */
export function projectOfChat({ caller, headers, model }: Pick<Asked, 'caller' | 'headers' | 'model'>): string {
  return headers.project ?? projectOfArtifact(model.name) ?? `${caller.defaultEntity}/default`;
}

function jsonText(value: unknown): JsonText {
  return new JsonText(toJson(value));
}
