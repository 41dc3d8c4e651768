import type { Finish } from '../../engine/sampling/finish.ts';
import type { RankedLogprob } from '../../engine/sampling/logprobs.ts';
import type { GeneratedToken, Sink } from '../../engine/scheduling/generation.ts';
import { asBadRequest } from '../plan/constraint-errors.ts';
import type { GenerationEvent } from '../types.ts';
import { Choice, type ChoiceOptions } from './choice.ts';
import { echoedTokens, promptLogprobs } from './logprob-entries.ts';

export type AnswerSinkOptions = {
  promptIds: readonly number[];
  /** For each choice, with its own parser. */
  choices: readonly ChoiceOptions[];
  /** How many alternatives are reported with the tokens of the prompt, and with those that are echoed. */
  promptLogprobs: { prompt: number | null; echoed: number | null };
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
    const { promptIds, choices, promptLogprobs: top, emit } = this.#options;
    emit({
      kind: 'prompt',
      cachedTokens,
      promptLogprobs:
        logprobs && top.prompt !== null
          ? promptLogprobs(choices[0]!.tokenizer, promptIds, atMost(logprobs, top.prompt))
          : null,
      echoedTokens:
        logprobs && top.echoed !== null ? echoedTokens(choices[0]!, promptIds, atMost(logprobs, top.echoed)) : null,
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

/** Of each position its own token, which is first, and the `top` most likely ones. */
function atMost(positions: RankedLogprob[][], top: number): RankedLogprob[][] {
  return positions.map((entries) => entries.filter(({ rank }, index) => index === 0 || rank <= top));
}
