import type { ModelReference } from '../../chat/types.ts';
import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import { isPolicyName } from '../../domain/policies/name.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';
import type { PolicyRequests } from '../policies/policy-requests.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { completeByPolicy, streamByPolicy } from './by-policy.ts';
import { type Embeddings, embedByProvider } from './embed.ts';
import { completeByProvider, streamByProvider } from './from-provider.ts';
import { renderMessages } from './messages.ts';
import type { ModelAnswer, ModelStream } from './model-answer.ts';
import { completeByOwn, streamByOwn } from './own/from-own-model.ts';
import { type NewRequest, openRequest, openTrainingRequest, type TrainingRequest } from './own/open-request.ts';
import type { OpenedRequest } from './own/opened-request.ts';
import { promptMessages } from './prompt-messages.ts';
import { readInputs } from './read-inputs.ts';
import { openObjectReader } from './read-object.ts';
import { type ModelRoute, routeOf } from './route.ts';

type CompletionRequest = Owner & {
  /** Parameters of OpenAI's chat completions; `readInputs` makes them from plain values. */
  inputs: CompletionInputs;
  signal: AbortSignal;
  /** Whether the record of a model of heddle's own has tokens and logprobs. Set it if the record is stored as a call. */
  keepsTokens: boolean;
};

/**
 * All requests to models. `open` is for those that heddle serves itself: the faces of the API translate what clients send
 * for it, and jobs use it too. The others chat with any model by its name: one that heddle serves, one of a well-known
 * provider, or one of a published `Provider`; see `route.ts`. They resolve prompts and fill in template variables, and
 * leave recording to the caller.
 *
 * All methods throw a `Failure` with a message for the user. After the kinds `busy` and `unavailable`, a later request
 * may succeed; providers have already been retried. `canceled` means that the signal was aborted.
 */
export type Completions = {
  /** Finds the model and the project, and decides how to generate and where to record. Nothing is sent to the model yet. */
  open(request: NewRequest): Promise<OpenedRequest>;
  /** A request of a training job to the model that it trains, which is not recorded. */
  openForTraining(request: TrainingRequest): OpenedRequest;
  complete(request: CompletionRequest): Promise<ModelAnswer>;
  /** Resolves when the request is accepted. */
  stream(request: CompletionRequest): Promise<ModelStream>;
  /** Whether heddle serves the model with this name. */
  isOwn(model: string, owner: Owner): Promise<boolean>;
  /** Computes embeddings of texts with a provider's model, which is named as for completions. */
  embed(request: Owner & { model: string; texts: string[]; signal: AbortSignal }): Promise<Embeddings>;
};

export function openCompletions(
  deps: Pick<Deps, 'identity' | 'inference' | 'transport'>,
  services: {
    models: ServedModels;
    objects: Objects;
    secrets: Secrets;
    calls: Calls;
    policyRequests: PolicyRequests;
  },
): Completions {
  const { models, objects, secrets, calls, policyRequests: policies } = services;
  const { identity, inference, transport } = deps;
  const reader = openObjectReader(deps, objects);
  const open = (request: NewRequest) => openRequest({ identity, inference, models, calls, policies }, request);

  async function prepare(
    request: CompletionRequest,
    ofVariant: JsonText[] = [],
  ): Promise<{ route: ModelRoute; messages: JsonText[] }> {
    const { inputs } = request;
    const ofPrompt = await promptMessages(reader, inputs.prompt, request);
    const messages = renderMessages(inputs, [...ofVariant, ...ofPrompt]);
    return { route: await routeOf({ models, objects: reader, secrets }, inputs, request), messages };
  }

  const openUnrecorded = (model: ModelReference, { caller, project }: Owner) =>
    open({ caller, model, project: project.name, record: null });

  async function complete(request: CompletionRequest, ofVariant?: JsonText[]): Promise<ModelAnswer> {
    const { route, messages } = await prepare(request, ofVariant);
    return route.kind === 'own'
      ? completeByOwn(await openUnrecorded(route.model, request), { ...request, messages })
      : completeByProvider(transport, { ...request, route, messages });
  }

  async function stream(request: CompletionRequest, ofVariant?: JsonText[]): Promise<ModelStream> {
    const { route, messages } = await prepare(request, ofVariant);
    return route.kind === 'own'
      ? streamByOwn(await openUnrecorded(route.model, request), { ...request, messages })
      : streamByProvider(transport, { ...request, route, messages });
  }

  return {
    open,
    openForTraining: (request) => openTrainingRequest({ inference }, request),
    complete: (request) =>
      isPolicyName(request.inputs.model)
        ? completeByPolicy(policies, request, (inputs, prompt) => complete({ ...request, inputs }, prompt))
        : complete(request),
    stream: (request) =>
      isPolicyName(request.inputs.model)
        ? streamByPolicy(policies, request, (inputs, prompt) => stream({ ...request, inputs }, prompt))
        : stream(request),
    isOwn: async (model, { caller }) => (await models.find(model, caller)) !== null,
    async embed({ model, texts, signal, ...owner }) {
      const route = await routeOf({ models, objects: reader, secrets }, readInputs({ model }), owner);
      return embedByProvider(transport, { route, texts, signal });
    },
  };
}
