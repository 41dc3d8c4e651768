import type { ChatChoice, ChatCompletion, ChatUsage } from '../../contract/chat/completion.ts';
import { answerOf } from '../output/deltas.ts';
import type { GenerationEvent, GenerationSettings } from '../types.ts';
import type { Chat } from './chat.ts';
import { Gathered, type GatheredChoice } from './gathered.ts';
import type { Shown } from './shown.ts';

/** Approximate memory of one token of an answer, with its logprob. */
export const bytesPerToken = 300;

type AnsweredChat = Pick<Chat, 'id' | 'created' | 'generation' | 'callId'>;

/** An answer, as far as its events have arrived. */
export class GatheredAnswer {
  readonly #chat: AnsweredChat;
  readonly #gathered: Gathered;

  constructor(chat: AnsweredChat) {
    this.#chat = chat;
    this.#gathered = new Gathered(chat.generation.settings.n);
  }

  take(event: GenerationEvent): void {
    this.#gathered.take(event);
  }

  get generation() {
    return this.#chat.generation;
  }

  get settings() {
    return this.#chat.generation.settings;
  }

  get choices(): readonly GatheredChoice[] {
    return this.#gathered.choices;
  }

  get usage(): ChatUsage {
    const { tokens, cachedTokens } = this.#gathered;
    return usageOf(this.#gathered.promptTokens(this.#chat.generation), tokens, cachedTokens);
  }

  /** Its approximate memory use. */
  get bytes(): number {
    return bytesPerToken * (this.#chat.generation.promptIds.length + this.#gathered.tokens);
  }

  completion(shown: Shown): ChatCompletion {
    const { id, created, generation } = this.#chat;
    return {
      id,
      object: 'chat.completion',
      created,
      model: generation.model.name,
      choices: this.#gathered.choices.map((choice, index) => this.#choice(choice, index, shown)),
      service_tier: null,
      system_fingerprint: generation.fingerprint,
      usage: this.usage,
      prompt_logprobs: this.#gathered.promptLogprobs,
      prompt_token_ids: shown.promptIds ? [...generation.promptIds] : null,
      kv_transfer_params: null,
    };
  }

  #choice({ ids, logprobs, deltas, finish }: GatheredChoice, index: number, shown: Shown): ChatChoice {
    const { role, echoed } = this.#chat.generation;
    const { content, reasoning, toolCalls } = answerOf(deltas);
    const whole = (echoed ?? '') + content;
    return {
      index,
      message: {
        role,
        content: toolCalls.length > 0 && whole === '' ? null : whole,
        refusal: null,
        annotations: null,
        audio: null,
        function_call: null,
        ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
        reasoning: shown.reasoning ? reasoning : null,
      },
      logprobs: shown.logprobs ? { content: logprobs } : null,
      finish_reason: finish?.finishReason ?? 'abort',
      stop_reason: finish?.stopReason ?? null,
      token_ids: shown.ids ? ids : null,
      ...(shown.training ? this.#forTraining() : {}),
    };
  }

  /** Training clients send back choices, not whole answers. */
  #forTraining() {
    const { generation, callId } = this.#chat;
    return {
      prompt_token_ids: [...generation.promptIds],
      ...filtersOf(generation.settings),
      ...(callId === null ? {} : { call_id: callId }),
    };
  }
}

type SamplingValues = Omit<GenerationSettings, 'n' | 'seed' | 'max_tokens' | 'min_tokens'>;

/** The sampling values that make samples deviate from the model's prediction. */
export function filtersOf(settings: SamplingValues): { sampling?: Record<string, number> } {
  const { temperature, top_p, top_k, min_p, frequency_penalty, presence_penalty, repetition_penalty } = settings;
  const found = Object.entries({
    ...(temperature === 1 ? {} : { temperature }),
    ...(top_p === 1 ? {} : { top_p }),
    ...(top_k === 0 ? {} : { top_k }),
    ...(min_p === 0 ? {} : { min_p }),
    ...(frequency_penalty === 0 ? {} : { frequency_penalty }),
    ...(presence_penalty === 0 ? {} : { presence_penalty }),
    ...(repetition_penalty === 1 ? {} : { repetition_penalty }),
  });
  return found.length === 0 ? {} : { sampling: Object.fromEntries(found) };
}

export function usageOf(prompt: number, completion: number, cached = 0): ChatUsage {
  const counts = { prompt_tokens: prompt, total_tokens: prompt + completion, completion_tokens: completion };
  return { ...counts, prompt_tokens_details: cached > 0 ? { cached_tokens: cached } : null };
}
