import { type Finish, type FinishRules, finishOf, looksForStopStrings } from '../../engine/sampling/finish.ts';
import { Detokenizer } from '../tokenizer/detokenizer.ts';
import { StopStrings } from './stop-strings.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';

export type SequenceRules = FinishRules & {
  promptLength: number;
  stopStrings: readonly string[];
  includesStop: boolean;
  skipSpecialTokens: boolean;
  /** Special tokens that stay in the text all the same, for a parser that reads them. */
  shownTokens?: readonly string[];
};

/** The text that one more token brought, and whether the sequence ends with it. */
export type OutputStep = { text: string; finish: Finish | null };

/**
 * What a sequence has said so far: takes its tokens one by one, gives out text that will never be taken back, and knows
 * when the sequence ends.
 */
export class SequenceOutput {
  readonly ids: number[] = [];
  readonly #rules: SequenceRules;
  readonly #detokenizer: Detokenizer;
  readonly #stops: StopStrings;

  constructor(tokenizer: Tokenizer, rules: SequenceRules) {
    this.#rules = rules;
    this.#detokenizer = new Detokenizer(tokenizer, rules);
    this.#stops = new StopStrings(rules.stopStrings, { includesStop: rules.includesStop });
  }

  push(id: number): OutputStep {
    this.ids.push(id);
    const rules = this.#rules;
    const finish = finishOf(this.ids, rules.promptLength, rules);
    // The text of the token that stopped the sequence is shown on request alone.
    const isHidden = finish?.finishReason === 'stop' && !rules.includesStop;
    const text = (isHidden ? '' : this.#detokenizer.push(id)) + (finish ? this.#detokenizer.end() : '');
    const looks = looksForStopStrings(this.ids, finish, rules.minTokens);
    const { text: shown, stop } = this.#stops.push(text, looks);
    // A stop string stands above the length and the repetition that the same token reached.
    if (stop !== null) return { text: shown, finish: { finishReason: 'stop', stopReason: stop } };
    return { text: finish ? shown + this.#stops.end() : shown, finish };
  }

  /** Ends a sequence from outside: its grammar left no token, or the client is gone. Returns the text held back. */
  end(): string {
    const { text, stop } = this.#stops.push(this.#detokenizer.end());
    return stop === null ? text + this.#stops.end() : text;
  }
}
