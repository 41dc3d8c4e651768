import { logprobEntry } from './logprob-entries.ts';
import { SequenceOutput, type SequenceRules } from './sequence-output.ts';
import type { PositionLogprobs } from '../../engine/sampling/logprobs.ts';
import type { OutputParser } from './deltas.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ChoiceEvent } from '../types.ts';

export type ChoiceOptions = {
  tokenizer: Tokenizer;
  rules: SequenceRules;
  parser: OutputParser;
  tokensAsIds: boolean;
};

/** What one choice has said so far: takes tokens, gives out what they mean. */
export class Choice {
  readonly index: number;
  readonly #options: ChoiceOptions;
  readonly #output: SequenceOutput;
  #hasCalls = false;
  isFinished = false;

  constructor(index: number, options: ChoiceOptions) {
    this.index = index;
    this.#options = options;
    this.#output = new SequenceOutput(options.tokenizer, options.rules);
  }

  get ids(): readonly number[] {
    return this.#output.ids;
  }

  push(id: number, logprobs: PositionLogprobs | null): ChoiceEvent {
    const { tokenizer, tokensAsIds } = this.#options;
    const entries = logprobs ? [logprobEntry(tokenizer, this.#output.ids, logprobs, tokensAsIds)] : [];
    const { text, finish } = this.#output.push(id);
    return this.#event([id], entries, text, finish);
  }

  /** Ends the choice from outside, without another token. */
  end(finish: NonNullable<ChoiceEvent['finish']>): ChoiceEvent {
    return this.#event([], [], this.#output.end(), finish);
  }

  #event(ids: number[], logprobs: ChoiceEvent['logprobs'], text: string, finish: ChoiceEvent['finish']): ChoiceEvent {
    const { parser } = this.#options;
    const deltas = [...parser.push(text), ...(finish ? parser.end() : [])];
    this.#hasCalls ||= deltas.some((delta) => delta.kind === 'tool_call');
    this.isFinished = finish !== null;
    const calls = this.#hasCalls && finish?.finishReason === 'stop';
    const told = finish && calls ? { ...finish, finishReason: 'tool_calls' as const } : finish;
    return { kind: 'choice', index: this.index, ids, logprobs, deltas, finish: told };
  }
}
