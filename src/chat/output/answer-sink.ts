import type { Finish } from '../../engine/sampling/finish.ts';
import type { RankedLogprob } from '../../engine/sampling/logprobs.ts';
import type { GeneratedToken, Sink } from '../../engine/scheduling/generation.ts';
import { asBadRequest } from '../plan/constraint-errors.ts';
import type { GenerationEvent } from '../types.ts';
import { Choice, type ChoiceOptions } from './choice.ts';
import { promptLogprobs } from './logprob-entries.ts';

export type AnswerSinkOptions = {
  promptIds: readonly number[];
  /** For each choice, with its own parser. */
  choices: readonly ChoiceOptions[];
  emit(event: GenerationEvent): void;
  end(error: Error | null): void;
};

/** Turns the tokens of a generation into the events of a chat answer. */
export class AnswerSink implements Sink {
  readonly #options: AnswerSinkOptions;
  readonly #choices: readonly Choice[];

  constructor(options: AnswerSinkOptions) {
    this.#options = options;
    this.#choices = options.choices.map((each, index) => new Choice(index, each));
  }

  promptDone({ cachedTokens, logprobs }: { cachedTokens: number; logprobs: RankedLogprob[][] | null }): void {
    const { promptIds, choices, emit } = this.#options;
    const { tokenizer } = choices[0]!;
    emit({
      kind: 'prompt',
      cachedTokens,
      promptLogprobs: logprobs && promptLogprobs(tokenizer, promptIds, logprobs),
    });
  }

  token(sequence: number, token: GeneratedToken): boolean {
    const event = this.#choices[sequence]!.push(token);
    this.#options.emit(event);
    return event.finish !== null;
  }

  sequenceEnded(sequence: number, finish: Finish): void {
    this.#options.emit(this.#choices[sequence]!.end(finish));
  }

  end(error: Error | null): void {
    this.#options.end(error && asBadRequest(error));
  }
}
