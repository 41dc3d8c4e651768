import type { ChatUsage } from '../../contract/chat/completion.ts';
import type { TextChoice, TextCompletion } from '../../contract/text-completions/completion.ts';
import { answerOf } from '../output/deltas.ts';
import type { EchoedToken } from '../output/logprob-entries.ts';
import type { GenerationEvent, TextGeneration } from '../types.ts';
import { bytesPerToken, usageOf } from './answer.ts';
import { Gathered, type GatheredChoice } from './gathered.ts';
import { isPromptOnly, type TextCompletionUnderWay, type TextShown } from './text.ts';
import { OffsetCounter, textLogprobs } from './text-logprobs.ts';

/** The answers to several prompts, as far as their events have arrived. */
export class TextAnswer {
  readonly #request: TextCompletionUnderWay;
  readonly #gathered: readonly Gathered[];

  constructor(request: TextCompletionUnderWay) {
    this.#request = request;
    this.#gathered = request.generations.map(({ settings }) => new Gathered(settings.n));
  }

  take(prompt: number, event: GenerationEvent): void {
    this.#gathered[prompt]!.take(event);
  }

  /** Of all choices, including those that are not returned. */
  get usage(): ChatUsage {
    const prompts = this.#request.generations.reduce((sum, { promptIds }) => sum + promptIds.length, 0);
    const cached = this.#gathered.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0);
    return usageOf(prompts, isPromptOnly(this.#request.body) ? 0 : this.#tokens, cached);
  }

  /** Its approximate memory use. */
  get bytes(): number {
    return bytesPerToken * (this.usage.prompt_tokens + this.#tokens);
  }

  get #tokens(): number {
    return this.#gathered.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  /** In the order of the completion. */
  get choices(): readonly GatheredChoice[] {
    const choices = this.#gathered.flatMap((_, prompt) => this.#returned(prompt));
    return isPromptOnly(this.#request.body) ? choices.map(() => promptAlone) : choices;
  }

  completion(shown: TextShown): TextCompletion {
    const { id, created, generations, returned } = this.#request;
    return {
      id,
      object: 'text_completion',
      created,
      model: generations[0]!.model.name,
      choices: generations.flatMap((generation, prompt) =>
        this.#returned(prompt).map((choice, i) =>
          this.#choice(choice, prompt * returned + i, { generation, gathered: this.#gathered[prompt]!, shown }),
        ),
      ),
      service_tier: null,
      system_fingerprint: generations[0]!.fingerprint,
      usage: this.usage,
      kv_transfer_params: null,
    };
  }

  #returned(prompt: number): readonly GatheredChoice[] {
    return bestOf(this.#gathered[prompt]!.choices, this.#request.returned);
  }

  #choice(choice: GatheredChoice, index: number, { generation, gathered, shown }: ChoiceContext): TextChoice {
    const { ids, logprobs, deltas, finish } = isPromptOnly(this.#request.body) ? promptAlone : choice;
    const entries: EchoedToken[] = [...(gathered.echoedTokens ?? []), ...logprobs];
    return {
      index,
      text: (generation.echoed ?? '') + answerOf(deltas).content,
      logprobs: shown.logprobs ? textLogprobs(entries, new OffsetCounter()) : null,
      finish_reason: finish?.finishReason ?? 'abort',
      stop_reason: finish?.stopReason ?? null,
      token_ids: shown.ids ? ids : null,
      prompt_logprobs: gathered.promptLogprobs,
      prompt_token_ids: shown.promptIds ? [...generation.promptIds] : null,
    };
  }
}

type ChoiceContext = { generation: TextGeneration; gathered: Gathered; shown: TextShown };

const promptAlone: GatheredChoice = {
  ids: [],
  logprobs: [],
  drawnLogprobs: [],
  deltas: [],
  finish: { finishReason: 'length', stopReason: null },
};

/**
 * The ones with the highest mean logprob of their tokens, best first; all of them in their order if no more are
 * requested.
 */
function bestOf(choices: readonly GatheredChoice[], count: number): readonly GatheredChoice[] {
  return count === choices.length ? choices : [...choices].sort((a, b) => mean(b) - mean(a)).slice(0, count);
}

function mean({ logprobs }: GatheredChoice): number {
  return logprobs.reduce((sum, { logprob }) => sum + logprob, 0) / Math.max(1, logprobs.length);
}
