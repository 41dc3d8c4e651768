import { parseRef } from '../../domain/refs.ts';
import type { Publisher } from '../../services/evaluations/publish.ts';
import { invalidInput } from '../../util/failures.ts';
import type { ReadVersion } from '../read-version.ts';
import { type Side, sides } from './sides.ts';

type Params = Record<string, unknown>;

/** What a request says about its models. */
type RequestedModels = Record<Side, string> &
  Record<'model_params' | 'candidate_params' | 'incumbent_params', Params | null>;

export type PublishedModel = { ref: string; name: string };

/**
 * Publishes the models that are given by name, each with its messages and parameters. A prompt is stored as a ref of its version, so
 * that later versions do not change the gate.
 * @throws Failure for prompts that do not exist, and for parameters of one published model
 */
export async function publishModels(
  request: RequestedModels,
  publisher: Publisher,
  readVersion: ReadVersion,
): Promise<Record<Side, PublishedModel>> {
  const published = {} as Record<Side, PublishedModel>;
  for (const side of sides) published[side] = await publish(side);
  return published;

  async function publish(side: Side): Promise<PublishedModel> {
    const name = request[side];
    const own = request[`${side}_params`] ?? {};
    const params = await withPromptVersion(joined(request.model_params ?? {}, own));
    if (Object.keys(own).length === 0) {
      return { ref: await publisher.modelAsPublished(name, params), name: nameOf(name) };
    }
    const title = typeof own.prompt === 'string' ? `${nameOf(name)} with ${nameOf(own.prompt)}` : nameOf(name);
    return { ref: await publisher.model(name, params), name: title };
  }

  async function withPromptVersion(params: Params): Promise<Params> {
    if (typeof params.prompt !== 'string' || params.prompt === '') return params;
    const { ref, value } = await readVersion(await publisher.prompt(params.prompt));
    if (!Array.isArray(value.messages) && typeof value.content !== 'string') {
      throw invalidInput(`${params.prompt} is not a prompt with messages (a StringPrompt or a MessagesPrompt).`);
    }
    return { ...params, prompt: ref };
  }
}

/** Messages of one model replace those of both, whether they are written out or a prompt. */
function joined(shared: Params, own: Params): Params {
  if (own.prompt == null && own.messages_template == null) return { ...shared, ...own };
  const { prompt: _prompt, messages_template: _messages, ...others } = shared;
  return { ...others, ...own };
}

/** As it was asked for; of a ref, the name and the version. */
function nameOf(word: string): string {
  return parseRef(word)?.kind === 'object' ? word.split('/').at(-1)! : word;
}
