import { randomBytes } from 'node:crypto';
import type { ChatRequest } from '../../contract/chat/request.ts';
import { tokensToGenerate } from './lengths.ts';
import type { SequenceRules } from '../output/sequence-output.ts';
import type { LoadedModel } from '../../engine/runtime/types.ts';
import { checkBeamWidth } from '../../engine/sampling/beam-search.ts';
import type { SamplingParameters } from '../../engine/sampling/parameters.ts';
import { seedOfChoice } from '../../engine/sampling/random.ts';
import { checkRepetitionDetection } from '../../engine/sampling/repetition.ts';
import { checkChoices, type SamplingValues, samplingValues } from './sampling-values.ts';
import {
  allowedTokenIdsOf,
  badWordsOf,
  logitBiasOf,
  stopStringsOf,
  stopTokenIdsOf,
} from './token-constraints.ts';
import type { Constraint } from '../structured/constraint.ts';
import { outputParser, tokensShownToParser } from '../output/output-parser.ts';
import type { ToolCallOptions } from '../output/tool-calls.ts';
import { type Tool, type ToolChoice, toolChoiceOf } from '../output/tool-choice.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { checkBeamFields } from './beam-fields.ts';
import type { ChoiceOptions } from '../output/choice.ts';
import { constraintOfRequest } from './constraint-of-request.ts';
import type { ServedText } from '../tokenizer/served-text.ts';
import type { Prompt } from './prompt.ts';
import { promptLogprobsOf, topLogprobsOf } from './reported-logprobs.ts';
import type { GenerateRequest, GenerationSettings, InferenceLimits, Tenant } from '../types.ts';

/** A request with every value decided and checked: what its sequences are stepped by. */
export type Plan = {
  model: LoadedModel;
  tokenizer: Tokenizer;
  promptIds: readonly number[];
  tenant: Tenant;
  priority: number;
  cacheSalt: string;
  usesBeams: boolean;
  lengthPenalty: number;
  /** One for each choice. */
  seeds: readonly bigint[];
  sampling: SamplingParameters;
  rules: SequenceRules;
  /** How many alternatives are told with each token; null: not even the token's own logprob. */
  topLogprobs: number | null;
  promptLogprobs: number | null;
  /** What the output is held to, and the field that says so. */
  constraint: { constraint: Constraint; param: string } | null;
  /** Special tokens that the constraint may ask for. */
  spokenIds: readonly number[];
  settings: GenerationSettings;
  /** For one choice, with a parser of its own. Those of beams end where the search says so. */
  choiceOptions(options?: { isEndedOutside: boolean }): ChoiceOptions;
};

export type PlanContext = { model: LoadedModel; text: ServedText; limits: InferenceLimits };

/** Reads `tool_choice`; before the prompt is made, since a wrong one is told first. */
export function toolsOf({ tools, tool_choice: choice }: ChatRequest): { tools: Tool[]; choice: ToolChoice } {
  const given = (tools ?? []) as Tool[];
  return { tools: given, choice: toolChoiceOf(choice, given) };
}

/** @throws BadRequest with what cannot be */
export function planOf(request: GenerateRequest, prompt: Prompt, context: PlanContext): Plan {
  const { body } = request;
  const { model, text, limits } = context;
  const { tokenizer } = text;
  const { contextMax: contextLength, vocabSize } = model;
  const maxTokens = tokensToGenerate(body, prompt.ids.length, contextLength, text.config.maxNewTokens);
  const defaults = request.usesNeutralSampling ? {} : text.config.sampling;
  const values = samplingValues(body, defaults, limits);
  checkChoices(values, body.use_beam_search);
  if (body.use_beam_search) {
    checkBeamWidth(values.n);
    checkBeamFields(body);
  }
  const tools = toolsOf(body);
  const toolCalls: ToolCallOptions | null =
    tools.choice === 'none'
      ? null
      : {
          toolNames: new Set(tools.tools.map((tool) => tool.function.name)),
          parallel: body.parallel_tool_calls !== false,
          holdsCalls: !body.stream,
        };
  const parsing = { chatTemplate: prompt.template, prompt: prompt.text, toolCalls };
  const shownTokens = tokensShownToParser(parsing);
  const [eosId = null, ...furtherEosIds] = text.eosIds;
  const stopTokenIds = new Set([
    ...stopTokenIdsOf(body.stop_token_ids, vocabSize),
    ...(body.ignore_eos ? [] : furtherEosIds),
  ]);
  const repetition = body.repetition_detection;
  if (repetition) checkRepetitionDetection(repetition);
  const rules: SequenceRules = {
    ...{ eosId, ignoreEos: body.ignore_eos, stopTokenIds, minTokens: body.min_tokens, maxTokens, contextLength },
    ...{ repetition, promptLength: prompt.ids.length, stopStrings: stopStringsOf(body.stop), shownTokens },
    ...{ includesStop: body.include_stop_str_in_output, skipSpecialTokens: body.skip_special_tokens },
  };
  const endTokenIds = [...new Set([...stopTokenIds, ...(eosId === null ? [] : [eosId])])];
  const seed = body.seed === null || body.seed === -1n ? randomBytes(8).readBigInt64LE() : body.seed;
  const encode = (word: string) => tokenizer.encode(word);
  return {
    ...{
      model,
      tokenizer,
      promptIds: prompt.ids,
      tenant: request.tenant,
      priority: body.priority,
      cacheSalt: body.cache_salt ?? '',
    },
    ...{ usesBeams: body.use_beam_search, lengthPenalty: body.length_penalty, rules },
    seeds: Array.from({ length: values.n }, (_, index) => seedOfChoice(seed, index)),
    sampling: {
      ...{ temperature: values.temperature, topP: values.top_p, topK: values.top_k, minP: values.min_p },
      ...{ frequencyPenalty: values.frequency_penalty, presencePenalty: values.presence_penalty },
      ...{ repetitionPenalty: values.repetition_penalty, seed, minTokens: body.min_tokens, endTokenIds },
      logitBias: logitBiasOf(body.logit_bias, vocabSize),
      allowedTokenIds: allowedTokenIdsOf(body.allowed_token_ids, vocabSize),
      badWords: badWordsOf(body.bad_words, encode),
    },
    topLogprobs: topLogprobsOf(request, limits, vocabSize),
    promptLogprobs: promptLogprobsOf(body, limits, vocabSize),
    constraint: constraintOfRequest(body, prompt, tools),
    spokenIds: shownTokens.flatMap((token) => tokenizer.idOf(token) ?? []),
    settings: settingsOf(values, seed, maxTokens, body.min_tokens),
    choiceOptions: ({ isEndedOutside } = { isEndedOutside: false }) => ({
      tokenizer,
      rules: isEndedOutside ? endless(rules) : rules,
      parser: outputParser(parsing),
      tokensAsIds: body.return_tokens_as_token_ids ?? false,
    }),
  };
}

function settingsOf(values: SamplingValues, seed: bigint, maxTokens: number, minTokens: number): GenerationSettings {
  return { ...values, seed, max_tokens: maxTokens, min_tokens: minTokens };
}

/** Rules under which no token ends a choice. */
function endless(rules: SequenceRules): SequenceRules {
  const never = Number.POSITIVE_INFINITY;
  return { ...rules, eosId: null, stopTokenIds: new Set(), maxTokens: never, contextLength: never, repetition: null };
}
