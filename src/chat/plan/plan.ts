import { randomBytes } from 'node:crypto';
import type { GenerationFields } from '../../contract/chat/generation-fields.ts';
import type { ChatRequest } from '../../contract/chat/request.ts';
import type { GrammarVocabulary } from '../../engine/grammars/grammar-requests.ts';
import type { FinishRules } from '../../engine/sampling/finish.ts';
import type { SamplingParameters } from '../../engine/sampling/parameters.ts';
import { givesSeed, seedOfChoice, seedOfRequest } from '../../engine/sampling/random.ts';
import type { Decoding, GenerationRequest } from '../../engine/scheduling/generation-request.ts';
import type { ChoiceOptions } from '../output/choice.ts';
import { type OutputOptions, outputParser, tokensShownToParser } from '../output/output-parser.ts';
import type { Tool } from '../output/tool.ts';
import type { ToolCallOptions } from '../output/tool-calls.ts';
import { type ToolChoice, toolChoiceOf } from '../output/tool-choice.ts';
import type { AnswerSchemas } from '../structured/checks/answer-checks.ts';
import type { ServedText } from '../tokenizer/served-text.ts';
import type { ChatLimits, GenerationSettings, HostRequest, TextRequest } from '../types.ts';
import { isChat } from '../types.ts';
import { beginningOf } from './beginning.ts';
import { constraintOfRequest, preludeOf } from './constraint-of-request.ts';
import { tokensToGenerate } from './lengths.ts';
import type { Prompt } from './prompt.ts';
import { checkRepetitionDetection } from './repetition-detection.ts';
import { promptLogprobsOf, topLogprobsOf } from './reported-logprobs.ts';
import { drawingParametersOf, samplingOfRequest } from './sampling-of-request.ts';
import type { SamplingValues } from './sampling-values.ts';
import { badWordsOf, stopStringsOf, stopTokenIdsOf } from './token-constraints.ts';

/** A request with every value filled in and checked. */
export type Plan = {
  /** For the engine. */
  request: GenerationRequest;
  /** For each choice, with its own parser. */
  choices: readonly ChoiceOptions[];
  /** How many alternatives to report with the tokens of the prompt, and with those that are echoed. */
  promptLogprobs: { prompt: number | null; echoed: number | null };
  settings: GenerationSettings;
  /** The schemas that finished answers must satisfy; null if they are not checked. */
  schemas: AnswerSchemas | null;
};

export type PlanContext = {
  contextMax: number;
  vocabSize: number;
  text: ServedText;
  limits: ChatLimits;
  /** The vocabulary for grammars that may also produce these special tokens. */
  vocabulary(writtenIds: readonly number[]): GrammarVocabulary;
  /** Whether the engine draws a seed of its own where the client gives none, and does not report it. */
  drawsOwnSeeds: boolean;
};

/** Reads `tool_choice`, before the prompt is made, because its errors are reported first. */
export function toolsOf(body: ChatRequest | TextRequest): { tools: Tool[]; choice: ToolChoice } {
  if (!isChat(body)) return { tools: [], choice: 'none' };
  const given = (body.tools ?? []) as Tool[];
  return { tools: given, choice: toolChoiceOf(body.tool_choice, given) };
}

/** @throws Failure for values that cannot be used */
export function planOf(request: HostRequest, prompt: Prompt, context: PlanContext): Plan {
  const { body } = request;
  const { text, limits, contextMax, vocabSize } = context;
  const { tokenizer } = text;
  const maxTokens = tokensToGenerate(body, prompt.ids.length, contextMax, text.config.maxNewTokens);
  const values = samplingOfRequest(request, text.config.sampling, limits);
  const parsing = parsingOf(body, prompt);
  const shownTokens = tokensShownToParser(parsing);
  const rules = finishRulesOf(body, maxTokens, context);
  const textRules = {
    minTokens: body.min_tokens,
    stopStrings: stopStringsOf(body.stop),
    includesStop: body.include_stop_str_in_output,
    skipSpecialTokens: body.skip_special_tokens,
    shownTokens,
  };
  const isSeedGiven = givesSeed(body);
  const seed = seedOfRequest(body.seed, () => randomBytes(8).readBigInt64LE());
  const decoding = decodingOf(body, values, { seed, isSeedGiven }, rules, context);
  const topLogprobs = topLogprobsOf(request, limits, vocabSize);
  const promptLogprobs = promptLogprobsOf(body, limits, vocabSize);
  const { prompt: ofPrompt, echoed } = promptLogprobs;
  const held = constraintOfRequest(body, prompt, toolsOf(body));
  const writtenIds = shownTokens.flatMap((token) => tokenizer.idOf(token) ?? []);
  return {
    request: {
      promptIds: prompt.ids,
      decoding,
      rules,
      topLogprobs,
      promptLogprobs: ofPrompt === null && echoed === null ? null : Math.max(ofPrompt ?? 0, echoed ?? 0),
      constraint: held && {
        constraint: held.constraint,
        field: held.param,
        vocabulary: context.vocabulary(writtenIds),
        prelude: preludeOf(body, prompt, tokenizer),
      },
      adapter: request.adapter,
      priority: body.priority,
      tenant: request.tenant,
      cacheSalt: body.cache_salt ?? '',
      beginning: () => beginningOf(body),
    },
    choices: Array.from({ length: values.n }, () => ({
      tokenizer,
      rules: textRules,
      parser: outputParser(parsing),
      tokensAsIds: body.return_tokens_as_token_ids ?? false,
    })),
    promptLogprobs,
    settings: {
      ...values,
      seed: context.drawsOwnSeeds && !isSeedGiven ? null : seed,
      max_tokens: maxTokens,
      min_tokens: body.min_tokens,
    },
    schemas: body.include_stop_str_in_output ? null : (held?.schemas ?? null),
  };
}

/** How the text of the answer is read. */
function parsingOf(body: ChatRequest | TextRequest, prompt: Prompt): OutputOptions {
  const { tools, choice } = toolsOf(body);
  const toolCalls: ToolCallOptions = {
    tools,
    parallel: isChat(body) && body.parallel_tool_calls !== false,
  };
  return { chatTemplate: prompt.template, prompt: prompt.text, toolCalls: choice === 'none' ? null : toolCalls };
}

function finishRulesOf(
  body: GenerationFields,
  maxTokens: number,
  { text, contextMax, vocabSize }: PlanContext,
): FinishRules {
  const [eosId = null, ...furtherEosIds] = text.eosIds;
  const stopTokenIds = stopTokenIdsOf(body.stop_token_ids, vocabSize);
  const repetition = body.repetition_detection;
  if (repetition) checkRepetitionDetection(repetition);
  return {
    eosId,
    ignoreEos: body.ignore_eos,
    stopTokenIds: new Set([...stopTokenIds, ...(body.ignore_eos ? [] : furtherEosIds)]),
    minTokens: body.min_tokens,
    maxTokens,
    contextLength: contextMax,
    repetition,
  };
}

function decodingOf(
  body: GenerationFields,
  values: SamplingValues,
  { seed, isSeedGiven }: { seed: bigint; isSeedGiven: boolean },
  rules: FinishRules,
  context: PlanContext,
): Decoding {
  const parameters = samplingParametersOf(body, values, rules, context);
  if (!body.use_beam_search) {
    const seeds = Array.from({ length: values.n }, (_, index) => seedOfChoice(seed, index));
    return { kind: 'sampling', parameters, seeds, isSeedGiven, badWords: body.bad_words };
  }
  const { length_penalty: lengthPenalty, include_stop_str_in_output: includesStop } = body;
  return { kind: 'beams', width: values.n, lengthPenalty, includesStop };
}

function samplingParametersOf(
  body: GenerationFields,
  values: SamplingValues,
  { eosId, stopTokenIds }: FinishRules,
  { text: { tokenizer }, vocabSize }: PlanContext,
): Omit<SamplingParameters, 'seed'> {
  return {
    ...drawingParametersOf(body, values, vocabSize),
    badWords: badWordsOf(body.bad_words, (word) => tokenizer.encode(word)),
    endTokenIds: [...new Set([...stopTokenIds, ...(eosId === null ? [] : [eosId])])],
  };
}
