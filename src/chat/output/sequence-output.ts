import type { Finish } from '../../engine/sampling/finish.ts';
import { Detokenizer } from '../tokenizer/detokenizer.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { StopStrings } from './stop-strings.ts';

export type TextRules = {
  minTokens: number;
  stopStrings: readonly string[];
  includesStop: boolean;
  skipSpecialTokens: boolean;
  /** Special tokens that stay in the text, for a parser that reads them. */
  shownTokens?: readonly string[];
};

/** The text that one more token added, and whether the sequence ends with it. */
export type OutputStep = { text: string; finish: Finish | null };

/**
 * The text of one sequence: consumes its tokens one by one, returns text that is final, and ends the sequence at a stop
 * string.
 */
export class SequenceOutput {
  readonly ids: number[] = [];
  readonly #rules: TextRules;
  readonly #detokenizer: Detokenizer;
  readonly #stops: StopStrings;

  constructor(tokenizer: Tokenizer, rules: TextRules) {
    this.#rules = rules;
    this.#detokenizer = new Detokenizer(tokenizer, rules);
    this.#stops = new StopStrings(rules.stopStrings, { includesStop: rules.includesStop });
  }

  /** `finish`: why the engine ends the sequence with this token, or null. */
  push(id: number, finish: Finish | null): OutputStep {
    this.ids.push(id);
    const { includesStop, minTokens } = this.#rules;
    // The text of the token that stopped the sequence is hidden by default.
    const isHidden = finish?.finishReason === 'stop' && !includesStop;
    const text = (isHidden ? '' : this.#detokenizer.push(id)) + (finish ? this.#detokenizer.end() : '');
    const { text: shown, stop } = this.#stops.push(text, looksForStopStrings(this.ids, finish, minTokens));
    // A stop string takes precedence over the length or the repetition that the same token reached.
    if (stop !== null) return { text: shown, finish: { finishReason: 'stop', stopReason: stop } };
    return { text: finish ? shown + this.#stops.end() : shown, finish };
  }

  /** Ends the sequence without another token. @returns the text that was held back */
  end(): string {
    const { text, stop } = this.#stops.push(this.#detokenizer.end());
    return stop === null ? text + this.#stops.end() : text;
  }
}

/** After a token that ended the text there is no stop string to find. */
export function looksForStopStrings(output: readonly number[], finish: Finish | null, minTokens: number): boolean {
  return output.length >= minTokens && finish?.finishReason !== 'stop';
}
