import type { Finish } from '../../engine/sampling/finish.ts';
import type { PositionLogprobs, RankedLogprob } from '../../engine/sampling/logprobs.ts';
import type { DrawKind } from '../../engine/scheduling/draw-kind.ts';
import type { GeneratedToken, Sink } from '../../engine/scheduling/generation.ts';
import type { CheckedAnswer } from '../structured/checks/answer-checks.ts';
import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import { CheckedEnds } from './checked-ends.ts';
import { Choice, type ChoiceOptions } from './choice.ts';
import { echoedTokens, promptLogprobs } from './logprob-entries.ts';

export type AnswerSinkOptions = {
  promptIds: readonly number[];
  /** For each choice, with its own parser. */
  choices: readonly ChoiceOptions[];
  draws: DrawKind;
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
  /** The ends of choices that wait for logprobs, by choice. */
  readonly #waiting = new Map<number, ChoiceEvent>();
  readonly #ends: CheckedEnds;

  constructor(options: AnswerSinkOptions) {
    this.#options = options;
    const { eosIds, check, draws, emit, end } = options;
    this.#ends = new CheckedEnds({ check, endsText: (id) => eosIds.includes(id), emit, end });
    this.#choices = options.choices.map(
      (each, index) => new Choice(index, each, { keepsAnswer: check !== null, reportsDraws: draws === 'adjusted' }),
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
    this.#take(event);
    return event.finish !== null;
  }

  lateLogprobs(sequence: number, logprobs: readonly PositionLogprobs[] | null): void {
    const end = this.#waiting.get(sequence);
    if (!end) return;
    this.#waiting.delete(sequence);
    this.#emit(logprobs === null ? end : { ...end, logprobs: this.#choices[sequence]!.lateEntries(logprobs) });
  }

  lateCachedTokens(tokens: number): void {
    this.#options.emit({ kind: 'cached', tokens });
  }

  isInPrelude(sequence: number): boolean {
    return this.#choices[sequence]!.isReasoning;
  }

  sequenceEnded(sequence: number, finish: Finish): void {
    this.#take(this.#choices[sequence]!.end(finish));
  }

  end(error: Error | null): void {
    this.#ends.end(error);
  }

  #take(event: ChoiceEvent): void {
    if (event.finish !== null && this.#choices[event.index]!.lacksLogprobs) this.#waiting.set(event.index, event);
    else this.#emit(event);
  }

  #emit(event: ChoiceEvent): void {
    this.#ends.emit(event, () => this.#choices[event.index]!.answer);
  }
}

/** For each position its own token first, then the `top` most likely ones. */
function atMost(positions: RankedLogprob[][], top: number): RankedLogprob[][] {
  return positions.map((entries) => entries.filter(({ rank }, index) => index === 0 || rank <= top));
}
