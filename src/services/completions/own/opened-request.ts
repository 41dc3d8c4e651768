import type { EmbeddingsRequest, ModelReference, TextGeneration, TextGenerationRequest } from '../../../chat/types.ts';
import type { ProjectId } from '../../../contract/ids.ts';
import type { Tenant } from '../../../engine/scheduling/generation-request.ts';
import type { Inference } from '../../../inference/inference.ts';
import type { ModelCall } from '../model-call.ts';
import { type Assignment, attributesOf, type RecordedAnswer, recordOf } from './recorded-answer.ts';

/**
 * A request to a model that heddle serves: what the model is given, and the call that records it. A request whose
 * generation is rejected is not recorded.
 */
export type OpenedRequest = {
  model: ModelReference;
  assignment: Assignment;
  /** Microseconds since 1970. */
  startedAt: number;
  /** The call that records it; null if it is not recorded. */
  call: { id: string; projectId: ProjectId } | null;
  /** Whether its answers are meant for training: they always have tokens and logprobs, and neutral sampling is the default. */
  isForTraining: boolean;
  /** Resolves when the request is accepted. @throws Failure */
  generate<Body extends TextGenerationRequest['body']>(
    body: Body,
    signal: AbortSignal,
    options?: { keepsLogprobs?: boolean },
  ): Promise<TextGeneration>;
  embed: Asked<'embed'>;
  tokenize: Asked<'tokenize'>;
  detokenize: Asked<'detokenize'>;
  describeTokenizer(signal: AbortSignal): ReturnType<Inference['describeTokenizer']>;
  /** Records the start; resolves when it is durable. @throws Failure if it cannot be stored */
  recordStart(answer: RecordedAnswer): Promise<void>;
  /** Records the whole; resolves when it is durable. @throws Failure if it cannot be stored */
  record(answer: RecordedAnswer, failure: Error | null): Promise<void>;
  /** The same in the background, once the client has its answer. */
  recordLater(answer: RecordedAnswer, failure: Error | null): void;
};

/** A method of `Inference` on behalf of this request. @throws Failure */
type Asked<Name extends 'embed' | 'tokenize' | 'detokenize'> = (
  request: Omit<Parameters<Inference[Name]>[1], 'tenant'>,
  signal: AbortSignal,
) => ReturnType<Inference[Name]>;

type Resolved = Pick<OpenedRequest, 'model' | 'assignment' | 'startedAt' | 'isForTraining'> & {
  tenant: Tenant;
  priority: number | null;
  call: ModelCall | null;
  /** The size of the body that the call records. */
  bodyBytes: number;
};

export function openedRequest(
  { inference }: { inference: Pick<Inference, 'generate' | 'embed' | 'tokenize' | 'detokenize' | 'describeTokenizer'> },
  { model, assignment, tenant, priority, startedAt, call, bodyBytes, isForTraining }: Resolved,
): OpenedRequest {
  const prioritized = <Body extends { priority: number }>(body: Body) =>
    priority === null ? body : { ...body, priority };
  return {
    ...{ model, assignment, startedAt, call, isForTraining },
    generate: (body, signal, { keepsLogprobs = false } = {}) =>
      inference.generate(
        model,
        {
          tenant,
          body: prioritized(body),
          usesNeutralSampling: isForTraining,
          keepsLogprobs: call !== null || isForTraining || keepsLogprobs,
          now: Math.floor(startedAt / 1000),
        },
        signal,
      ),
    embed: (request, signal) =>
      inference.embed(model, { ...prioritized<Omit<EmbeddingsRequest, 'tenant'>>(request), tenant }, signal),
    tokenize: (request, signal) => inference.tokenize(model, { ...request, tenant }, signal),
    detokenize: (request, signal) => inference.detokenize(model, { ...request, tenant }, signal),
    describeTokenizer: (signal) => inference.describeTokenizer(model, tenant, signal),
    async recordStart(answer) {
      await call?.start(attributesOf(model, assignment, answer));
    },
    async record(answer, failure) {
      await call?.end(recordOf(model, assignment, answer), failure?.message ?? null);
    },
    recordLater(answer, failure) {
      call?.endLater(() => recordOf(model, assignment, answer), failure?.message ?? null, bodyBytes + answer.bytes);
    },
  };
}
