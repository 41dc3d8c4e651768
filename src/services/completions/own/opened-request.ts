import type { EmbeddingsRequest, ModelReference, TextGeneration, TextGenerationRequest } from '../../../chat/types.ts';
import type { ProjectId } from '../../../contract/ids.ts';
import type { Tenant } from '../../../engine/scheduling/generation-request.ts';
import type { Inference } from '../../../inference/inference.ts';
import { invalidInput, isRefusal } from '../../../util/failures.ts';
import { isVariantFault } from '../../policies/policy-assignment.ts';
import { type ModelCall, noAnswer } from '../model-call.ts';
import type { Answerer } from './answerer.ts';
import { firstThatAnswers } from './first-that-answers.ts';
import { type Assignment, attributesOf, type RecordedAnswer, recordedAssignment, recordOf } from './recorded-answer.ts';

/**
 * A request to a model that heddle serves, or to a variant of a policy: what the model is given, and the call that records it. A
 * request whose generation is rejected is not recorded, unless that is the fault of a policy's variant.
 */
export type OpenedRequest = {
  /** Of a policy: of the variant that answers, once the request is accepted. */
  readonly model: ModelReference;
  assignment: Assignment;
  /** Microseconds since 1970. */
  startedAt: number;
  /** The call that records it; null if it is not recorded. */
  call: { id: string; projectId: ProjectId } | null;
  /** Whether its answers are meant for training: they always have tokens and logprobs, and neutral sampling is the default. */
  readonly isForTraining: boolean;
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

/** Who is asked, in this order, and what follows an answer. */
export type Candidates = {
  first: Answerer;
  inOrder: readonly { name: string; open(): Promise<Answerer> }[];
  /** Called once the request is answered, with what was sent to the model. */
  answered?(sent: SentRequest): void;
};

export type SentRequest = { bodies: TextGenerationRequest['body'][]; tenant: Tenant; call: ModelCall | null };

type Resolved = Pick<OpenedRequest, 'assignment' | 'startedAt'> & {
  candidates: Candidates;
  tenant: Tenant;
  priority: number | null;
  call: ModelCall | null;
  /** The size of the body that the call records. */
  bodyBytes: number;
};

export function openedRequest(
  { inference }: { inference: Pick<Inference, 'embed' | 'tokenize' | 'detokenize' | 'describeTokenizer'> },
  { candidates, assignment, tenant, priority, startedAt, call, bodyBytes }: Resolved,
): OpenedRequest {
  let answerer = candidates.first;
  const bodies: TextGenerationRequest['body'][] = [];
  const prioritized = <Body extends { priority: number }>(body: Body) =>
    priority === null ? body : { ...body, priority };

  function note(error: Error): void {
    if (assignment.kind === 'policy' && isVariantFault(error)) assignment.failure ??= error.message;
  }

  /** An answer that ended, or why it did not. */
  function ended(failure: Error | null): void {
    if (failure !== null) note(failure);
    else if (bodies.length > 0) candidates.answered?.({ bodies, tenant, call });
  }

  /** Nobody answered: the fault of the assigned variant, unless the request was at fault. */
  function rejected(error: Error): void {
    if (assignment.kind !== 'policy' || isRefusal(error) || !isVariantFault(error)) return;
    note(error);
    const attributes = { heddle: { assignment: recordedAssignment(assignment, answerer.model.name) } };
    call?.endLater(() => ({ ...noAnswer, attributes }), error.message, bodyBytes);
  }

  return {
    ...{ assignment, startedAt, call },
    get model() {
      return answerer.model;
    },
    get isForTraining() {
      return answerer.isForTraining;
    },
    async generate(body, signal, { keepsLogprobs = false } = {}) {
      const request = {
        tenant,
        body: prioritized(body),
        keepsLogprobs: call !== null || keepsLogprobs,
        now: Math.floor(startedAt / 1000),
      };
      const ask = (asked: Answerer) => asked.generate(request, signal);
      bodies.push(request.body);
      try {
        return await firstThatAnswers(candidates.inOrder, ask, signal, {
          failed: (_, error) => note(error),
          answers(found) {
            answerer = found;
            if (assignment.kind === 'policy') assignment.answeredBy = found.variant!;
          },
        });
      } catch (error) {
        rejected(error as Error);
        throw error;
      }
    },
    async embed(request, signal) {
      if (assignment.kind === 'policy')
        throw invalidInput('Policies answer chats. Name a model to embed texts.', { param: 'model' });
      const asked = { ...prioritized<Omit<EmbeddingsRequest, 'tenant'>>(request), tenant };
      return inference.embed(answerer.model, asked, signal);
    },
    tokenize: (request, signal) => inference.tokenize(answerer.model, { ...request, tenant }, signal),
    detokenize: (request, signal) => inference.detokenize(answerer.model, { ...request, tenant }, signal),
    describeTokenizer: (signal) => inference.describeTokenizer(answerer.model, tenant, signal),
    async recordStart(answer) {
      await call?.start(attributesOf(answerer.model, assignment, answer));
    },
    async record(answer, failure) {
      ended(failure);
      await call?.end(recordOf(answerer.model, assignment, answer), failure?.message ?? null);
    },
    recordLater(answer, failure) {
      ended(failure);
      const { model } = answerer;
      call?.endLater(() => recordOf(model, assignment, answer), failure?.message ?? null, bodyBytes + answer.bytes);
    },
  };
}
