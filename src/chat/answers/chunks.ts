import type { ChatChunk, ChatDelta } from '../../contract/chat/completion.ts';
import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import { type GatheredAnswer, usageOf } from './answer.ts';
import type { Chat } from './chat.ts';

type ChunkChoice = ChatChunk['choices'][number];

/**
 * The chunks of one stream. Each has one choice, or all of them in order for training clients, which identify choices
 * by position.
 */
export class Chunks {
  readonly #chat: Chat;
  readonly #counts: number[];
  readonly #countsUsage: boolean;
  readonly #finishReasons: ChunkChoice['finish_reason'][];

  constructor(chat: Chat) {
    this.#chat = chat;
    this.#counts = new Array(chat.generation.settings.n).fill(0);
    this.#finishReasons = this.#counts.map(() => null);
    this.#countsUsage = chat.body.stream_options?.continuous_usage_stats === true;
  }

  of(event: GenerationEvent): ChatChunk[] {
    if (event.kind === 'cached' || event.kind === 'counted') return []; // the usage has it
    return event.kind === 'prompt' ? this.#opening() : [this.#choice(event)];
  }

  usage(answer: GatheredAnswer): ChatChunk {
    return { ...this.#head(), choices: [], usage: answer.usage };
  }

  #opening(): ChatChunk[] {
    const { generation, shown } = this.#chat;
    const { role, echoed, promptIds } = generation;
    const roles = this.#counts.map((_, index) => ({
      ...this.#chunk(index, { role, content: '' }),
      prompt_token_ids: shown.promptIds ? [...promptIds] : null,
    }));
    const echoes = echoed === null ? [] : this.#counts.map((_, index) => this.#chunk(index, { content: echoed }));
    return shown.training ? [roles, echoes].flatMap(together) : [...roles, ...echoes];
  }

  #choice({ index, ids, logprobs, deltas, finish }: ChoiceEvent): ChatChunk {
    const { shown } = this.#chat;
    this.#counts[index]! += ids.length;
    if (finish) this.#finishReasons[index] = finish.finishReason;
    const chunk = this.#chunk(index, deltaOf(deltas, shown.reasoning), {
      logprobs: shown.logprobs && logprobs.length > 0 ? { content: logprobs } : null,
      finish_reason: finish?.finishReason ?? null,
      ...(finish ? { stop_reason: finish.stopReason } : {}),
      token_ids: shown.ids ? ids : null,
    });
    if (!shown.training) return chunk;
    const [choice] = chunk.choices;
    return { ...chunk, choices: this.#finishReasons.map((reason, i) => (i === index ? choice! : idle(i, reason))) };
  }

  #chunk(index: number, delta: ChatDelta, more: Partial<ChatChunk['choices'][number]> = {}): ChatChunk {
    const choice = { index, delta, logprobs: null, finish_reason: null, ...more };
    const chunk = { ...this.#head(), choices: [choice] };
    if (!this.#countsUsage) return chunk;
    const { prompt_tokens_details: _, ...usage } = usageOf(
      this.#chat.generation.promptIds.length,
      this.#counts[index]!,
    );
    return { ...chunk, usage };
  }

  #head() {
    const { id, created, generation } = this.#chat;
    return { id, object: 'chat.completion.chunk' as const, created, model: generation.model.name };
  }
}

/** Combines chunks of one choice each into one chunk. */
function together(chunks: ChatChunk[]): ChatChunk[] {
  return chunks.slice(0, 1).map((first) => ({ ...first, choices: chunks.flatMap(({ choices }) => choices) }));
}

/** A choice without anything new in a chunk; its finish reason is repeated. */
function idle(index: number, finishReason: ChunkChoice['finish_reason']): ChunkChoice {
  return { index, delta: {}, logprobs: null, finish_reason: finishReason };
}

function deltaOf(deltas: ChoiceEvent['deltas'], showsReasoning: boolean): ChatDelta {
  let content: string | undefined;
  let reasoning: string | undefined;
  const calls: NonNullable<ChatDelta['tool_calls']> = [];
  for (const delta of deltas) {
    if (delta.kind === 'content') content = (content ?? '') + delta.text;
    else if (delta.kind === 'reasoning') reasoning = (reasoning ?? '') + delta.text;
    else {
      const { index, id, name, arguments: args } = delta;
      const head = id === undefined ? {} : { id, type: 'function' as const };
      calls.push({ index, ...head, function: { ...(name === undefined ? {} : { name }), arguments: args } as never });
    }
  }
  const shownReasoning = showsReasoning ? reasoning : undefined;
  if (content === undefined && shownReasoning === undefined && calls.length === 0) return { content: '' };
  return {
    ...(shownReasoning === undefined ? {} : { reasoning: shownReasoning }),
    ...(content === undefined ? {} : { content }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
