import type { CheckedAnswer } from '../structured/checks/answer-checks.ts';
import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import type { JoinedAnswer } from './deltas.ts';

export type CheckedEndsOptions = {
  /** The error in a finished answer; null if answers are not checked. */
  check: ((answer: CheckedAnswer) => Promise<Error | null>) | null;
  /** Whether a token that stopped the answer is one with which the model ends its text. */
  endsText(id: number): boolean;
  emit(event: GenerationEvent): void;
  end(error: Error | null): void;
};

/** Reports answers as finished after they are checked. The first error ends the request. */
export class CheckedEnds {
  readonly #options: CheckedEndsOptions;
  /** Of finished answers, in the order in which they are reported. */
  #checks: Promise<Error | null> = Promise.resolve(null);

  constructor(options: CheckedEndsOptions) {
    this.#options = options;
  }

  /** @param answer of the choice of the event */
  emit(event: ChoiceEvent, answer: () => JoinedAnswer): void {
    const { check, emit } = this.#options;
    if (check === null || !this.#isComplete(event.finish)) {
      emit(event);
      return;
    }
    const { content, toolCalls } = answer();
    const fault = check({ content, calls: toolCalls.map((call) => call.function) });
    this.#checks = this.#checks.then(async (before) => {
      const found = before ?? (await fault);
      if (found === null) emit(event);
      return found;
    });
  }

  end(error: Error | null): void {
    const { check, end } = this.#options;
    if (check === null || error) end(error);
    else void this.#checks.then(end);
  }

  /** The output ended by itself: it was not cut by a length, a stop string or a stop token of the request. */
  #isComplete(finish: ChoiceEvent['finish']): boolean {
    if (finish === null || (finish.finishReason !== 'stop' && finish.finishReason !== 'tool_calls')) return false;
    const { stopReason } = finish;
    return stopReason === null || (typeof stopReason === 'number' && this.#options.endsText(stopReason));
  }
}
