import type { OutputDelta, OutputParser } from './deltas.ts';
import { startedMarkerLength } from './marker-search.ts';

export const reasoningMark = '<think>';
const open = reasoningMark;
const close = '</think>';

/** Whether an answer to the prompt may start with reasoning: the prompt neither opened nor skipped it. */
export function mayOpenReasoning(prompt: string): boolean {
  return !promptOpensReasoning(prompt) && !prompt.trimEnd().endsWith(close);
}

/** Whether the prompt has opened the reasoning, so that the answer starts inside it. */
export function promptOpensReasoning(prompt: string): boolean {
  return prompt.trimEnd().endsWith(open);
}

/**
 * Separates `<think>…</think>` from the rest, which goes to the next parser. Reasoning is only at the start of an
 * answer. Line feeds around both parts are omitted; an answer cut inside it is all reasoning.
 */
export class ReasoningParser implements OutputParser {
  readonly #next: OutputParser;
  #state: 'start' | 'inside' | 'after' | 'content';
  #held = '';
  #hasText = false;

  constructor(next: OutputParser, { startsInside = false } = {}) {
    this.#next = next;
    this.#state = startsInside ? 'inside' : 'start';
  }

  get isReasoning(): boolean {
    return this.#state === 'inside' || (this.#state === 'start' && this.#held !== '');
  }

  get hasUnendedCall(): boolean {
    return this.#next.hasUnendedCall ?? false;
  }

  push(text: string): OutputDelta[] {
    if (this.#state === 'content') return this.#next.push(text);
    this.#held += text;
    if (this.#state === 'start' && !this.#start()) return [];
    if (this.#state === 'inside') return this.#inside();
    return this.#after();
  }

  end(): OutputDelta[] {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'inside') return this.#reasoning(held.trimEnd());
    if (this.#state === 'after') return this.#next.end();
    return [...this.#next.push(held), ...this.#next.end()];
  }

  /** False until it is known whether the answer starts with reasoning. */
  #start(): boolean {
    const text = this.#held.trimStart();
    if (text.startsWith(open)) {
      this.#held = text.slice(open.length);
      this.#state = 'inside';
    } else if (open.startsWith(text)) return false;
    else this.#state = 'content';
    return true;
  }

  #inside(): OutputDelta[] {
    // Some templates open the reasoning, and the model opens it again.
    if (!this.#hasText) {
      const text = this.#held.trimStart();
      if (text !== '' && open.startsWith(text) && text !== open) return [];
      this.#held = text.startsWith(open) ? text.slice(open.length) : this.#held.replace(/^\n+/, '');
    }
    const at = this.#held.indexOf(close);
    if (at === -1) {
      const safe = this.#held.length - startedMarkerLength(this.#held, [close]);
      const shown = this.#held.slice(0, safe).trimEnd();
      this.#held = this.#held.slice(shown.length);
      return this.#reasoning(shown);
    }
    const reasoning = this.#reasoning(this.#held.slice(0, at).trimEnd());
    this.#held = this.#held.slice(at + close.length);
    this.#state = 'after';
    return [...reasoning, ...this.#after()];
  }

  /** There are empty lines between the reasoning and the answer. */
  #after(): OutputDelta[] {
    const text = this.#state === 'after' ? this.#held.replace(/^\n+/, '') : this.#held;
    this.#held = '';
    if (text === '') return [];
    this.#state = 'content';
    return this.#next.push(text);
  }

  #reasoning(text: string): OutputDelta[] {
    if (text === '') return [];
    this.#hasText = true;
    return [{ kind: 'reasoning', text }];
  }
}
