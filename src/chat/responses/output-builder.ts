import type { ResponseEvent } from '../../contract/responses/events.ts';
import type { ItemStatus, OutputItem, OutputText } from '../../contract/responses/items.ts';
import { isJson } from '../../util/json/is-json.ts';
import type { OutputDelta } from '../output/deltas.ts';
import type { LogprobEntry } from '../output/logprob-entries.ts';
import type { ChoiceEvent } from '../types.ts';
import { itemId } from './ids.ts';
import { encodeReasoning } from './reasoning-text.ts';

export type OutputOptions = {
  responseId: string;
  showsLogprobs: boolean;
  showsEncoded: boolean;
};

type CallDelta = OutputDelta & { kind: 'tool_call' };

/**
 * Builds the items of a response and the events that report them: what one event of the answer adds, in the order in
 * which clients expect it. At most one item is open.
 */
export class OutputBuilder {
  readonly items: OutputItem[] = [];
  readonly #options: OutputOptions;
  #isOpen = false;
  #callIndex: number | null = null;
  /** Entries of tokens whose text is held back. */
  #waiting: LogprobEntry[] = [];

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  take({ deltas, logprobs, finish }: ChoiceEvent): ResponseEvent[] {
    if (this.#options.showsLogprobs) this.#waiting.push(...logprobs);
    const events = deltas.flatMap((delta) => this.#delta(delta));
    if (finish !== null) events.push(...this.end(finish.finishReason === 'length' ? 'incomplete' : 'completed'));
    return events;
  }

  /** Closes the open item. An answer without any has an empty message. */
  end(status: ItemStatus): ResponseEvent[] {
    const opened = this.items.length === 0 ? this.#openMessage() : [];
    return [...opened, ...this.#close(status)];
  }

  #delta(delta: OutputDelta): ResponseEvent[] {
    if (delta.kind === 'tool_call') return this.#call(delta);
    if (delta.text === '') return [];
    const type = delta.kind === 'reasoning' ? 'reasoning' : 'message';
    const isSame = this.#isOpen && this.items.at(-1)!.type === type;
    const opened = isSame ? [] : [...this.#close('completed'), ...this.#open(type)];
    return [...opened, this.#grow(delta.text)];
  }

  #grow(delta: string): ResponseEvent {
    const item = this.items.at(-1)!;
    const place = { ...this.#place(item), content_index: 0 };
    if (item.type === 'reasoning') {
      this.#waiting = [];
      item.content[0]!.text += delta;
      return { type: 'response.reasoning_text.delta', ...place, delta };
    }
    const part = (item as OutputItem & { type: 'message' }).content[0]!;
    part.text += delta;
    return { type: 'response.output_text.delta', ...place, delta, logprobs: this.#takeLogprobs(part) };
  }

  #call({ index, id, name, arguments: args }: CallDelta): ResponseEvent[] {
    this.#waiting = [];
    const opened = this.#isOpen && this.#callIndex === index ? [] : this.#openCall(index);
    const item = this.items.at(-1) as OutputItem & { type: 'function_call' };
    item.call_id += id ?? '';
    item.name += name ?? '';
    const added = opened.map((event): ResponseEvent => (isAdded(event) ? { ...event, item: { ...item } } : event));
    if (args === '') return added;
    item.arguments += args;
    return [...added, { type: 'response.function_call_arguments.delta', ...this.#place(item), delta: args }];
  }

  #open(type: 'reasoning' | 'message'): ResponseEvent[] {
    return type === 'message' ? this.#openMessage() : this.#openReasoning();
  }

  #openMessage(): ResponseEvent[] {
    const part: OutputText = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    const item = { id: this.#newId('msg'), type: 'message' as const, role: 'assistant' as const };
    return this.#begin({ ...item, status: 'in_progress', content: [] }, part);
  }

  #openReasoning(): ResponseEvent[] {
    const item = { id: this.#newId('rs'), type: 'reasoning' as const, summary: [], encrypted_content: null };
    return this.#begin({ ...item, status: 'in_progress', content: [] }, { type: 'reasoning_text', text: '' });
  }

  #openCall(index: number): ResponseEvent[] {
    const closed = this.#close('completed');
    const item = { id: this.#newId('fc'), type: 'function_call' as const, call_id: '', name: '', arguments: '' };
    const opened = this.#begin({ ...item, status: 'in_progress' }, null);
    this.#callIndex = index;
    return [...closed, ...opened];
  }

  #begin(item: OutputItem, part: OutputText | { type: 'reasoning_text'; text: string } | null): ResponseEvent[] {
    this.items.push(item);
    this.#isOpen = true;
    this.#callIndex = null;
    const added = {
      type: 'response.output_item.added' as const,
      output_index: this.items.length - 1,
      item: structuredClone(item),
    };
    if (part === null) return [added];
    (item as { content: unknown[] }).content.push(part);
    return [
      added,
      { type: 'response.content_part.added', ...this.#place(item), content_index: 0, part: structuredClone(part) },
    ];
  }

  #close(status: ItemStatus): ResponseEvent[] {
    if (!this.#isOpen) return [];
    this.#isOpen = false;
    const item = this.items.at(-1)!;
    item.status = status;
    const place = this.#place(item);
    const done = { type: 'response.output_item.done' as const, output_index: place.output_index, item };
    if (item.type === 'function_call') {
      const { name, arguments: args } = item;
      if (!isJson(args)) item.status = 'incomplete';
      return [{ type: 'response.function_call_arguments.done', ...place, name, arguments: args }, done];
    }
    const inContent = { ...place, content_index: 0 };
    const part = item.content[0]!;
    const partDone = { type: 'response.content_part.done' as const, ...inContent, part };
    if (item.type === 'reasoning') {
      if (this.#options.showsEncoded) item.encrypted_content = encodeReasoning(part.text);
      return [{ type: 'response.reasoning_text.done', ...inContent, text: part.text }, partDone, done];
    }
    this.#takeLogprobs(item.content[0]!);
    const { text, logprobs } = item.content[0]!;
    return [{ type: 'response.output_text.done', ...inContent, text, logprobs }, partDone, done];
  }

  #takeLogprobs(part: OutputText): LogprobEntry[] {
    const taken = this.#waiting;
    this.#waiting = [];
    part.logprobs.push(...taken);
    return taken;
  }

  #place(item: OutputItem) {
    return { item_id: item.id, output_index: this.items.length - 1 };
  }

  #newId(prefix: string): string {
    return itemId(prefix, this.#options.responseId, String(this.items.length));
  }
}

function isAdded(event: ResponseEvent): event is ResponseEvent & { type: 'response.output_item.added' } {
  return event.type === 'response.output_item.added';
}
