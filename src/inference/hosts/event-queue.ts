import type { ChoiceEvent, GenerationEvent } from '../../chat/types.ts';

/**
 * Events that wait for their reader. Waiting events of one choice are merged, so that a slow reader costs no more
 * memory than the answer itself.
 */
export class EventQueue implements AsyncIterable<GenerationEvent> {
  readonly #waiting: GenerationEvent[] = [];
  readonly #ofChoice = new Map<number, ChoiceEvent>();
  readonly #onLeave: () => void;
  #ended: { error: Error | null } | null = null;
  #wake: (() => void) | null = null;

  /** `onLeave` is called when the reader leaves before the end. */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  push(event: GenerationEvent): void {
    if (event.kind === 'choice') {
      const waiting = this.#ofChoice.get(event.index);
      if (waiting) {
        joinChoices(waiting, event);
        return;
      }
      this.#ofChoice.set(event.index, event);
    }
    this.#waiting.push(event);
    this.#wake?.();
  }

  end(error: Error | null): void {
    this.#ended ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<GenerationEvent> {
    try {
      while (true) {
        const event = this.#waiting.shift();
        if (event) {
          if (event.kind === 'choice') this.#ofChoice.delete(event.index);
          yield event;
        } else if (this.#ended) {
          if (this.#ended.error) throw this.#ended.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = null;
        }
      }
    } finally {
      if (!this.#ended) this.#onLeave();
    }
  }
}

/** Adds a later event of a choice to a waiting one. Deltas stay as they are, because the choice may keep them, too. */
export function joinChoices(waiting: ChoiceEvent, { ids, logprobs, drawnLogprobs, deltas, finish }: ChoiceEvent): void {
  waiting.ids.push(...ids);
  waiting.logprobs.push(...logprobs);
  waiting.drawnLogprobs.push(...drawnLogprobs);
  for (const delta of deltas) {
    const last = waiting.deltas.at(-1);
    if (delta.kind === 'tool_call' || last?.kind !== delta.kind) waiting.deltas.push(delta);
    else waiting.deltas.splice(-1, 1, { ...last, text: last.text + delta.text });
  }
  waiting.finish = finish;
}
