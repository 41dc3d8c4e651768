import type { ChatRequest } from '../../contract/chat/request.ts';
import { givesSeed, seedOfRequest } from '../../engine/sampling/random.ts';
import { requiresCall, schemasOfCalls } from '../output/tool-choice.ts';
import type { AnswerSchemas } from '../structured/checks/answer-checks.ts';
import { checkContinued } from '../templates/render.ts';
import { type ChatLimits, type GenerationSettings, type HostRequest, isChat, type TextRequest } from '../types.ts';
import { constraintOfFormat, type RequestConstraint } from './constraint-of-request.ts';
import { checkMinTokens, checkTruncation, requestedTokens, tokensToGenerate } from './lengths.ts';
import { toolsOf } from './plan.ts';
import { checkRepetitionDetection } from './repetition-detection.ts';
import { promptLogprobsOf, topLogprobsOf } from './reported-logprobs.ts';
import { type DrawingParameters, drawingParametersOf, samplingOfRequest } from './sampling-of-request.ts';
import type { SamplingDefaults } from './sampling-values.ts';
import { checkPromptIds } from './text-prompt.ts';
import { checkBadWords, stopStringsOf, stopTokenIdsOf } from './token-constraints.ts';

/** A request to a server that has a text half itself: every value that needs no tokenizer, filled in and checked. */
export type ServerPlan = {
  parameters: DrawingParameters;
  choices: number;
  /** Null if the client gives none. */
  seed: bigint | null;
  stopStrings: string[];
  stopTokenIds: number[];
  contextMax: number;
  /** Null for as many as there is room for. */
  maxTokens: number | null;
  /** How many of the last tokens of the prompt are used; null for all, −1 for as many as the model can read. */
  truncate: number | null;
  /** How many alternatives to report with each token; null: not even the token's own logprob. */
  topLogprobs: number | null;
  promptLogprobs: { prompt: number | null; echoed: number | null };
  /** A format or a grammar. */
  constraint: RequestConstraint | null;
  /** Whether the server lets the model choose only some tokens, because of a format or of calls that must have a form. */
  isConstrained: boolean;
  schemas: AnswerSchemas | null;
  /** The values used, once the number of prompt tokens is known. @throws Failure if there is less room than was asked for */
  settings(promptTokens: number): GenerationSettings;
};

type Context = {
  contextMax: number;
  /** Infinite if it is not known. */
  vocabSize: number;
  limits: ChatLimits;
  /** The defaults of the model; null if they are not known. */
  config: { sampling: SamplingDefaults; maxNewTokens: number | null } | null;
};

/** @throws Failure for values that cannot be used */
export function serverPlanOf(request: HostRequest, { contextMax, vocabSize, limits, config }: Context): ServerPlan {
  const { body } = request;
  const { choice, tools } = toolsOf(body);
  if (!isChat(body) && typeof body.prompt !== 'string') checkPromptIds(body.prompt, vocabSize);
  const requested = requestedTokens(body, contextMax)?.tokens ?? null;
  const truncate = body.truncate_prompt_tokens;
  if (truncate !== null) checkTruncation(truncate, requested ?? 0, contextMax);
  if (isChat(body) && body.continue_final_message) checkContinued(body.messages);
  checkMinTokens(body.min_tokens, requested ?? contextMax);
  const { n, ...values } = samplingOfRequest(request, config?.sampling ?? {}, limits);
  checkBadWords(body.bad_words);
  if (body.repetition_detection) checkRepetitionDetection(body.repetition_detection);
  const constraint = constraintOfFormat(body, choice);
  const ofCalls = requiresCall(choice) ? { kind: 'calls' as const, schemas: schemasOfCalls(choice, tools) } : null;
  const seed = givesSeed(body) ? seedOfRequest(body.seed, () => 0n) : null;
  return {
    parameters: drawingParametersOf(body, { ...values, n }, vocabSize),
    choices: n,
    seed,
    stopStrings: stopStringsOf(body.stop),
    stopTokenIds: stopTokenIdsOf(body.stop_token_ids, vocabSize),
    contextMax,
    maxTokens: requested,
    truncate: truncate === -1 && requested !== null ? contextMax - requested : truncate,
    topLogprobs: topLogprobsOf(request, limits, vocabSize),
    promptLogprobs: promptLogprobsOf(body, limits, vocabSize),
    constraint,
    isConstrained: constraint !== null || ofCalls !== null || (choice !== 'none' && holdsCallsToForm(body)),
    schemas: body.include_stop_str_in_output ? null : (ofCalls ?? constraint?.schemas ?? null),
    settings(promptTokens) {
      const max_tokens = tokensToGenerate(body, promptTokens, contextMax, config?.maxNewTokens);
      return { ...values, n, seed, max_tokens, min_tokens: body.min_tokens };
    },
  };
}

/** vLLM has a grammar for calls that the model may choose to make, too, if a tool is strict or there may be only one call. */
function holdsCallsToForm(body: ChatRequest | TextRequest): boolean {
  if (!isChat(body) || !body.tools || body.tools.length === 0) return false;
  return body.parallel_tool_calls === false || body.tools.some((tool) => tool.function.strict === true);
}
