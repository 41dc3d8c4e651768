import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import type { Deps } from '../deps.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { type Embeddings, embedByProvider } from './embed.ts';
import { completeByProvider, streamByProvider } from './from-provider.ts';
import { renderMessages } from './messages.ts';
import type { ModelAnswer, ModelStream } from './model-answer.ts';
import { completeOwn, streamOwn } from './own-engine.ts';
import { promptMessages } from './prompt-messages.ts';
import { readInputs } from './read-inputs.ts';
import { openObjectReader } from './read-object.ts';
import { type ModelRoute, routeOf } from './route.ts';

type CompletionRequest = Owner & {
  /** Parameters of OpenAI's chat completions; `readInputs` makes them from plain values. */
  inputs: CompletionInputs;
  signal: AbortSignal;
  /** Whether the record of heddle's own engine has tokens and logprobs. Set it if the record is stored as a call. */
  keepsTokens: boolean;
};

/**
 * Chats with any model: one that heddle serves (inside the process), one of a well-known provider, or one of a
 * published `Provider`; see `route.ts`. Resolves prompts and fills in template variables. Traces nothing.
 *
 * Both methods throw a `Failure` with a message for the user. After the kinds `busy` and `unavailable`, a later request
 * may succeed; providers have already been retried. `canceled` means that the signal was aborted.
 */
export type Completions = {
  complete(request: CompletionRequest): Promise<ModelAnswer>;
  /** Resolves when the request is accepted. */
  stream(request: CompletionRequest): Promise<ModelStream>;
  /** Whether heddle's own engine serves this name. */
  isOwn(model: string, owner: Owner): Promise<boolean>;
  /** Computes embeddings of texts with a provider's model, which is named as for completions. */
  embed(request: Owner & { model: string; texts: string[]; signal: AbortSignal }): Promise<Embeddings>;
};

export function openCompletions(
  deps: Pick<Deps, 'identity' | 'inference' | 'transport'>,
  { models, objects, secrets }: { models: ServedModels; objects: Objects; secrets: Secrets },
): Completions {
  const reader = openObjectReader(deps, objects);
  const { inference, transport } = deps;

  async function prepare(request: CompletionRequest): Promise<{ route: ModelRoute; messages: JsonText[] }> {
    const { inputs } = request;
    const messages = renderMessages(inputs, await promptMessages(reader, inputs.prompt, request));
    return { route: await routeOf({ models, objects: reader, secrets }, inputs, request), messages };
  }

  return {
    async complete(request) {
      const { route, messages } = await prepare(request);
      return route.kind === 'own'
        ? completeOwn(inference, { ...request, model: route.model, messages })
        : completeByProvider(transport, { ...request, route, messages });
    },
    async stream(request) {
      const { route, messages } = await prepare(request);
      return route.kind === 'own'
        ? streamOwn(inference, { ...request, model: route.model, messages })
        : streamByProvider(transport, { ...request, route, messages });
    },
    isOwn: async (model, { caller }) => (await models.find(model, caller)) !== null,
    async embed({ model, texts, signal, ...owner }) {
      const route = await routeOf({ models, objects: reader, secrets }, readInputs({ model }), owner);
      return embedByProvider(transport, { route, texts, signal });
    },
  };
}
