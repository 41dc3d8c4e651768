import type { ResponseEvent } from '../../contract/responses/events.ts';
import type { ResponseBody, ResponseStatus, ResponseUsage } from '../../contract/responses/response.ts';
import { bytesPerToken } from '../answers/answer.ts';
import { Gathered, type GatheredChoice } from '../answers/gathered.ts';
import type { GenerationEvent, TextGeneration } from '../types.ts';
import { OutputBuilder, type OutputOptions } from './output-builder.ts';
import { type ResponseHead, responseBody, unbegun } from './response-body.ts';

/**
 * One response in progress: converts the events of its generation to events of a response, and to the complete
 * response.
 */
export class ResponseRun {
  readonly head: ResponseHead;
  readonly generation: TextGeneration;
  readonly #output: OutputBuilder;
  readonly #gathered = new Gathered(1);
  #status: ResponseStatus;
  #error: string | null = null;
  #completedAt: number | null = null;
  #reasoning = { tokens: 0, isSeen: false, isOver: false };

  constructor(head: ResponseHead, generation: TextGeneration, shown: Omit<OutputOptions, 'responseId'>) {
    this.head = head;
    this.generation = generation;
    this.#output = new OutputBuilder({ ...shown, responseId: head.id });
    this.#status = head.body.background ? 'queued' : 'in_progress';
  }

  opening(): ResponseEvent[] {
    const response = this.body();
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  }

  take(event: GenerationEvent): ResponseEvent[] {
    this.#gathered.take(event);
    if (event.kind === 'cached' || event.kind === 'counted') return [];
    this.#status = 'in_progress';
    if (event.kind === 'prompt') return [];
    this.#countReasoning(event);
    if (event.finish !== null) this.#end(event.finish.finishReason === 'length' ? 'incomplete' : 'completed');
    return this.#output.take(event);
  }

  /** The last event. */
  closing(): ResponseEvent {
    const type = closings[this.#status as keyof typeof closings] ?? 'response.failed';
    return { type, response: this.body() };
  }

  fail(message: string): void {
    this.#error = message;
    this.#break('failed');
  }

  cancel(): void {
    this.#break('cancelled');
  }

  body(): ResponseBody {
    const isOver = this.#completedAt !== null;
    return responseBody(this.head, {
      ...unbegun,
      status: this.#status,
      output: this.#status === 'queued' ? [] : this.#output.items,
      usage: isOver ? this.usage : null,
      error: this.#error,
      completedAt: this.#status === 'completed' ? this.#completedAt : null,
    });
  }

  get usage(): ResponseUsage {
    const { cachedTokens, tokens } = this.#gathered;
    const prompt = this.#gathered.promptTokens(this.generation);
    return {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
      output_tokens: tokens,
      output_tokens_details: { reasoning_tokens: this.#reasoning.isSeen ? this.#reasoning.tokens : 0 },
      total_tokens: prompt + tokens,
    };
  }

  get choices(): readonly GatheredChoice[] {
    return this.#gathered.choices;
  }

  /** What is recorded beside the response: every token of the prompt and the answer. */
  tokens(): Record<string, unknown> {
    const { ids, logprobs } = this.#gathered.choices[0]!;
    return { prompt_token_ids: [...this.generation.promptIds], token_ids: ids, logprobs: { content: logprobs } };
  }

  /** Its approximate memory use. */
  get bytes(): number {
    return bytesPerToken * this.usage.total_tokens;
  }

  /** Tokens count as reasoning until the first text or call. */
  #countReasoning({ ids, deltas }: GenerationEvent & { kind: 'choice' }): void {
    const reasoning = this.#reasoning;
    reasoning.isSeen ||= deltas.some(({ kind }) => kind === 'reasoning');
    reasoning.isOver ||= deltas.some(
      (delta) => delta.kind === 'tool_call' || (delta.kind === 'content' && delta.text !== ''),
    );
    if (!reasoning.isOver) reasoning.tokens += ids.length;
  }

  #break(status: ResponseStatus): void {
    this.#output.end('incomplete');
    this.#end(status);
  }

  #end(status: ResponseStatus): void {
    this.#status = status;
    this.#completedAt = Math.floor(Date.now() / 1000);
  }
}

const closings = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
} as const;
