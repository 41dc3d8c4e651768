import type { PositionLogprobs } from '../../engine/sampling/logprobs.ts';
import type { GeneratedToken } from '../../engine/scheduling/generation.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ChoiceEvent } from '../types.ts';
import { answerOf, type JoinedAnswer, type OutputDelta, type OutputParser } from './deltas.ts';
import { type LogprobEntry, logprobEntry } from './logprob-entries.ts';
import { SequenceOutput, type TextRules } from './sequence-output.ts';

export type ChoiceOptions = {
  tokenizer: Tokenizer;
  rules: TextRules;
  parser: OutputParser;
  tokensAsIds: boolean;
};

/** One choice of an answer: turns its tokens into content, reasoning and tool calls. */
export class Choice {
  readonly index: number;
  readonly #options: ChoiceOptions;
  readonly #output: SequenceOutput;
  readonly #keepsAnswer: boolean;
  readonly #reportsDraws: boolean;
  readonly #kept: OutputDelta[] = [];
  /** The places of the tokens whose logprobs come later. */
  readonly #withoutLogprobs: number[] = [];
  #hasCalls = false;

  constructor(index: number, options: ChoiceOptions, { keepsAnswer = false, reportsDraws = false } = {}) {
    this.index = index;
    this.#options = options;
    this.#keepsAnswer = keepsAnswer;
    this.#reportsDraws = reportsDraws;
    this.#output = new SequenceOutput(options.tokenizer, options.rules);
  }

  push({ id, logprobs, drawnLogprob, finish: engineFinish }: GeneratedToken): ChoiceEvent {
    const { tokenizer, tokensAsIds } = this.#options;
    if (logprobs === 'later') this.#withoutLogprobs.push(this.#output.ids.length);
    const isKnown = logprobs !== null && logprobs !== 'later';
    const entries = isKnown ? [logprobEntry(tokenizer, this.#output.ids, logprobs, tokensAsIds)] : [];
    const { text, finish } = this.#output.push(id, engineFinish);
    const drawnLogprobs = this.#reportsDraws ? [drawnLogprob] : [];
    return { ...this.#event([id], entries, text, finish), drawnLogprobs };
  }

  /** The kept part of the answer: everything except its reasoning. */
  get answer(): JoinedAnswer {
    return answerOf(this.#kept);
  }

  /** Whether the logprobs of some of its tokens come later. */
  get lacksLogprobs(): boolean {
    return this.#withoutLogprobs.length > 0;
  }

  /** The entries of the tokens whose logprobs come later. */
  lateEntries(logprobs: readonly PositionLogprobs[]): LogprobEntry[] {
    const { tokenizer, tokensAsIds } = this.#options;
    const { ids } = this.#output;
    return logprobs.map((each, index) =>
      logprobEntry(tokenizer, ids.slice(0, this.#withoutLogprobs[index]), each, tokensAsIds),
    );
  }

  get isReasoning(): boolean {
    return this.#options.parser.isReasoning ?? false;
  }

  /** Ends the choice without another token. */
  end(finish: NonNullable<ChoiceEvent['finish']>): ChoiceEvent {
    return this.#event([], [], this.#output.end(), finish);
  }

  #event(ids: number[], logprobs: ChoiceEvent['logprobs'], text: string, finish: ChoiceEvent['finish']): ChoiceEvent {
    const { parser } = this.#options;
    const deltas = [...parser.push(text), ...(finish ? parser.end() : [])];
    if (this.#keepsAnswer) this.#kept.push(...deltas.filter(({ kind }) => kind !== 'reasoning'));
    this.#hasCalls ||= deltas.some((delta) => delta.kind === 'tool_call');
    const calls = this.#hasCalls && !parser.hasUnendedCall && finish?.finishReason === 'stop';
    const reported = finish && calls ? { ...finish, finishReason: 'tool_calls' as const } : finish;
    return { kind: 'choice', index: this.index, ids, logprobs, drawnLogprobs: [], deltas, finish: reported };
  }
}
