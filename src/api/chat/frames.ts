import type { FastifyBaseLogger } from 'fastify';
import type { ChoiceEvent } from '../../chat/types.ts';
import type { ChatChunk, ChatDelta } from '../../contract/chat/completion.ts';
import { openAiErrorBody } from '../../http/openai-errors.ts';
import { Answer, usageOf } from './answer.ts';
import type { Chat } from './completions.ts';
import { toApiError } from './generation-errors.ts';
import type { ChatTrace } from './trace.ts';

/**
 * The frames of a stream, in order: for each choice one with the role and, with `echo`, one with the last message; then
 * what the choices say, the last frame of each with its finish reason; the usage where asked for; `[DONE]`.
 */
export async function* completionFrames(chat: Chat, trace: ChatTrace | null, log: FastifyBaseLogger) {
  const answer = new Answer(chat);
  const chunks = new Chunks(chat);
  let failure: Error | null = null;
  let isRead = false;
  try {
    for await (const event of chat.generation.events) {
      answer.take(event);
      const made = event.kind === 'prompt' ? chunks.opening() : [chunks.choice(event)];
      yield made.map(frame).join('');
    }
    if (chat.body.stream_options?.include_usage) yield frame(chunks.usage(answer));
    isRead = true;
    yield done;
  } catch (error) {
    failure = error as Error;
    isRead = true;
    yield frame(openAiErrorBody(toApiError(failure, log))) + done;
  } finally {
    trace?.end(answer, failure ?? (isRead ? null : new Error('The client hung up.')));
  }
}

const done = 'data: [DONE]\n\n';

function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The chunks of one stream. */
class Chunks {
  readonly #chat: Chat;
  readonly #counts: number[];
  readonly #countsUsage: boolean;

  constructor(chat: Chat) {
    this.#chat = chat;
    this.#counts = new Array(chat.generation.settings.n).fill(0);
    this.#countsUsage = chat.body.stream_options?.continuous_usage_stats === true;
  }

  opening(): ChatChunk[] {
    const { generation, shown } = this.#chat;
    const { role, echoed, promptIds } = generation;
    const roles = this.#counts.map((_, index) => ({
      ...this.#chunk(index, { role, content: '' }),
      prompt_token_ids: shown.promptIds ? [...promptIds] : null,
    }));
    if (echoed === null) return roles;
    return [...roles, ...this.#counts.map((_, index) => this.#chunk(index, { content: echoed }))];
  }

  choice({ index, ids, logprobs, deltas, finish }: ChoiceEvent): ChatChunk {
    const { shown } = this.#chat;
    this.#counts[index]! += ids.length;
    return this.#chunk(index, deltaOf(deltas, shown.reasoning), {
      logprobs: shown.logprobs && logprobs.length > 0 ? { content: logprobs } : null,
      finish_reason: finish?.finishReason ?? null,
      ...(finish ? { stop_reason: finish.stopReason } : {}),
      token_ids: shown.ids ? ids : null,
    });
  }

  usage(answer: Answer): ChatChunk {
    return { ...this.#head(), choices: [], usage: answer.usage };
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
