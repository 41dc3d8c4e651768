import type { Finish } from '../../engine/sampling/finish.ts';
import type { RankedLogprob } from '../../engine/sampling/logprobs.ts';
import type { GeneratedToken, Sink } from '../../engine/scheduling/generation.ts';
import type { CheckedAnswer } from '../structured/checks/answer-checks.ts';
import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import { Choice, type ChoiceOptions } from './choice.ts';
import { echoedTokens, promptLogprobs } from './logprob-entries.ts';

export type AnswerSinkOptions = {
  promptIds: readonly number[];
  /** For each choice, with its own parser. */
  choices: readonly ChoiceOptions[];
  /** How many alternatives to report with the tokens of the prompt, and with those that are echoed. */
  promptLogprobs: { prompt: number | null; echoed: number | null };
  /** The error in a finished answer; null if answers are not checked. */
  check: ((answer: CheckedAnswer) => Promise<Error | null>) | null;
  /** The tokens that end the model's text, where a grammar ends too. */
  eosIds: readonly number[];
  emit(event: GenerationEvent): void;
  end(error: Error | null): void;
};

/** Turns the tokens of a generation into the events of a chat answer. */
export class AnswerSink implements Sink {
  readonly #options: AnswerSinkOptions;
  readonly #choices: readonly Choice[];
  /** Of finished answers, in the order in which they are reported. */
  #checks: Promise<Error | null> = Promise.resolve(null);

  constructor(options: AnswerSinkOptions) {
    this.#options = options;
    this.#choices = options.choices.map(
      (each, index) => new Choice(index, each, { keepsAnswer: options.check !== null }),
    );
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
    this.#emit(event);
    return event.finish !== null;
  }

  isInPrelude(sequence: number): boolean {
    return this.#choices[sequence]!.isReasoning;
  }

  sequenceEnded(sequence: number, finish: Finish): void {
    this.#emit(this.#choices[sequence]!.end(finish));
  }

  end(error: Error | null): void {
    const { check, end } = this.#options;
    if (check === null || error) end(error);
    else void this.#checks.then(end);
  }

  /** An answer is reported as finished after it is checked. The first error ends the request. */
  #emit(event: ChoiceEvent): void {
    const { check, emit } = this.#options;
    if (check === null || !this.#isComplete(event.finish)) {
      emit(event);
      return;
    }
    const { content, toolCalls } = this.#choices[event.index]!.answer;
    const fault = check({ content, calls: toolCalls.map((call) => call.function) });
    this.#checks = this.#checks.then(async (before) => {
      const found = before ?? (await fault);
      if (found === null) emit(event);
      return found;
    });
  }

  /** The output ended by itself: it was not cut by a length, a stop string or a stop token of the request. */
  #isComplete(finish: ChoiceEvent['finish']): boolean {
    if (finish === null || (finish.finishReason !== 'stop' && finish.finishReason !== 'tool_calls')) return false;
    const { stopReason } = finish;
    return stopReason === null || (typeof stopReason === 'number' && this.#options.eosIds.includes(stopReason));
  }
}

/** For each position its own token first, then the `top` most likely ones. */
function atMost(positions: RankedLogprob[][], top: number): RankedLogprob[][] {
  return positions.map((entries) => entries.filter(({ rank }, index) => index === 0 || rank <= top));
}
