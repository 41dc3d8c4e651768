import type { TextChunk } from '../../contract/text-completions/completion.ts';
import { answerOf } from '../output/deltas.ts';
import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import { usageOf } from './answer.ts';
import { isPromptOnly, type TextCompletionUnderWay } from './text.ts';
import type { TextAnswer } from './text-answer.ts';
import { OffsetCounter, textLogprobs } from './text-logprobs.ts';

type PromptEvent = GenerationEvent & { kind: 'prompt' };

/** The chunks of one stream, each with one choice. */
export class TextChunks {
  readonly #request: TextCompletionUnderWay;
  /** By the index of the choice. */
  readonly #offsets: OffsetCounter[];
  readonly #counts: number[];

  constructor(request: TextCompletionUnderWay) {
    this.#request = request;
    const choices = request.generations.length * request.returned;
    this.#offsets = Array.from({ length: choices }, () => new OffsetCounter());
    this.#counts = this.#offsets.map(() => 0);
  }

  of(prompt: number, event: GenerationEvent): TextChunk[] {
    if (event.kind === 'cached' || event.kind === 'counted') return []; // the usage has it
    const first = prompt * this.#request.returned;
    if (event.kind === 'choice') return [this.#next(prompt, first + event.index, event)];
    return Array.from({ length: this.#request.returned }, (_, i) => this.#opening(prompt, first + i, event)).flat();
  }

  usage(answer: TextAnswer): TextChunk {
    return { ...this.#head(), choices: [], usage: answer.usage };
  }

  /** The prompt, if it is echoed or its ids are requested. */
  #opening(prompt: number, index: number, { echoedTokens }: PromptEvent): TextChunk[] {
    const { generations, shown } = this.#request;
    const { echoed, promptIds } = generations[prompt]!;
    if (echoed === null && !shown.promptIds) return [];
    const chunk = this.#chunk(prompt, index, {
      text: echoed ?? '',
      logprobs: shown.logprobs && echoedTokens !== null ? textLogprobs(echoedTokens, this.#offsets[index]!) : null,
      finish_reason: null,
      ...(shown.promptIds ? { prompt_token_ids: [...promptIds] } : {}),
    });
    return [chunk];
  }

  #next(prompt: number, index: number, event: ChoiceEvent): TextChunk {
    const { body, shown } = this.#request;
    const isHidden = isPromptOnly(body);
    const { ids, logprobs, deltas } = isHidden ? { ids: [], logprobs: [], deltas: [] } : event;
    this.#counts[index]! += ids.length;
    return this.#chunk(prompt, index, {
      text: answerOf(deltas).content,
      logprobs: shown.logprobs && logprobs.length > 0 ? textLogprobs(logprobs, this.#offsets[index]!) : null,
      finish_reason: event.finish && (isHidden ? 'length' : event.finish.finishReason),
      ...(event.finish ? { stop_reason: isHidden ? null : event.finish.stopReason } : {}),
      token_ids: shown.ids ? ids : null,
    });
  }

  #chunk(prompt: number, index: number, choice: Omit<TextChunk['choices'][number], 'index'>): TextChunk {
    const { generations, body } = this.#request;
    const chunk = { ...this.#head(), choices: [{ index, ...choice }] };
    if (!body.stream_options?.continuous_usage_stats) return chunk;
    const { prompt_tokens_details: _, ...usage } = usageOf(generations[prompt]!.promptIds.length, this.#counts[index]!);
    return { ...chunk, usage };
  }

  #head() {
    const { id, created, generations } = this.#request;
    return { id, object: 'text_completion' as const, created, model: generations[0]!.model.name };
  }
}
