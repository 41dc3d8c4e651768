import type { ModelReference } from '../../../chat/types.ts';
import { textCompletionRequest } from '../../../contract/text-completions/request.ts';
import type { Caller } from '../../../identity/identity.ts';
import { Failure } from '../../../util/failures.ts';
import { openReplay } from '../../completions/own/open-request.ts';
import type { Deps } from '../../deps.ts';
import type { Project } from '../../owner.ts';

type Scored = { model: ModelReference; promptIds: readonly number[]; ids: readonly number[] };
type Asking = { project: Project; caller: Caller; signal: AbortSignal };

/**
 * The logprobs of the tokens of an answer, in one forward pass over its prompt and them. The last one is null where both together
 * fill the context.
 * @throws Failure
 */
export async function scoreTokens(
  deps: Pick<Deps, 'inference'>,
  { model, promptIds, ids }: Scored,
  asking: Asking,
): Promise<(number | null)[]> {
  const all = [...promptIds, ...ids];
  const positions = await promptLogprobs(deps, model, all, asking).catch((error) => {
    if (!(error instanceof Failure) || error.extra.param !== 'input_tokens') throw error;
    return promptLogprobs(deps, model, all.slice(0, -1), asking);
  });
  return ids.map((id, index) => positions[promptIds.length + index]?.[id]?.logprob ?? null);
}

/** One token is generated, because a request must ask for one. */
async function promptLogprobs(
  deps: Pick<Deps, 'inference'>,
  model: ModelReference,
  ids: number[],
  { project, caller, signal }: Asking,
) {
  const request = openReplay(deps, { model, tenant: [caller.userId, project.name], startedAt: 0 });
  const fields = textCompletionRequest.parse({ prompt: ids, max_tokens: 1, prompt_logprobs: 0, temperature: 0 });
  const { events } = await request.generate({ ...fields, prompt: ids }, signal);
  const found: (Record<string, { logprob: number }> | null)[] = [];
  for await (const event of events) {
    if (event.kind === 'prompt') found.push(...(event.promptLogprobs ?? []));
  }
  return found;
}
