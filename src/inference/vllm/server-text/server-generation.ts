import { randomBytes } from 'node:crypto';
import { CheckedEnds } from '../../../chat/output/checked-ends.ts';
import { answerOf, type OutputDelta } from '../../../chat/output/deltas.ts';
import type { LogprobEntry } from '../../../chat/output/logprob-entries.ts';
import type { CheckedAnswer } from '../../../chat/structured/checks/answer-checks.ts';
import type { ChoiceEvent, GenerationEvent } from '../../../chat/types.ts';
import type { Finish } from '../../../engine/sampling/finish.ts';
import { isJson } from '../../../util/json/is-json.ts';
import type { EventReader } from '../../hosts/prepared.ts';
import { answerFault } from '../engine/read-tokens.ts';
import type { ServerChunk } from './server-chunk.ts';

export type ServerGenerationOptions = {
  choices: number;
  check: ((answer: CheckedAnswer) => Promise<Error | null>) | null;
  /** The stop tokens of the request. */
  stopTokenIds: readonly number[];
  /**
   * The logprobs of the tokens of a choice, where those that the server sends with them are not the model's; null if they cannot be had.
   * Null as a whole: the server's are the model's.
   */
  lateLogprobs: ((ids: readonly number[]) => Promise<LogprobEntry[] | null>) | null;
};

/** Turns the chunks of a server into the events of an answer. */
export class ServerGeneration {
  readonly #options: ServerGenerationOptions;
  readonly #reader: EventReader;
  readonly #ends: CheckedEnds;
  readonly #choices: Choice[];
  #tokens: number | null = null;

  constructor(options: ServerGenerationOptions, reader: EventReader) {
    const { check, stopTokenIds, choices } = options;
    this.#options = options;
    this.#reader = reader;
    this.#ends = new CheckedEnds({
      check,
      endsText: (id) => !stopTokenIds.includes(id),
      emit: (event) => reader.emit(event),
      end: (error) => reader.end(error),
    });
    this.#choices = Array.from({ length: choices }, () => new Choice());
  }

  /** @throws Failure */
  async read(prompt: GenerationEvent, chunks: AsyncIterable<ServerChunk>): Promise<void> {
    this.#reader.emit(prompt);
    for await (const chunk of chunks) this.#take(chunk);
    await this.#finish();
  }

  /** Reports the end, after that of each choice. */
  end(error: Error | null): void {
    this.#ends.end(error);
  }

  #take({ choices, tokens, cachedTokens }: ServerChunk): void {
    this.#tokens = tokens ?? this.#tokens;
    if (cachedTokens > 0) this.#reader.emit({ kind: 'cached', tokens: cachedTokens });
    for (const { index, ids, logprobs, deltas, finish } of choices) {
      const choice = this.#choices[index];
      if (!choice) throw answerFault(`has sent a choice ${index}, and was asked for ${this.#choices.length}`);
      const event = choice.take(ids, logprobs, deltas);
      choice.finish ??= finish;
      if (event.ids.length > 0 || event.deltas.length > 0) this.#reader.emit({ ...event, index });
    }
  }

  /**
   * A choice ends when the server has counted its tokens: logprobs of which some are missing, or whose tokens are not those that the
   * model has chosen, would be trained on without anybody noticing.
   */
  async #finish(): Promise<void> {
    const ids = this.#choices.reduce((sum, choice) => sum + choice.ids.length, 0);
    const ending = this.#choices.map(async (choice, index) => {
      const { finish } = choice;
      if (finish === null) throw answerFault('has ended its answer without a reason');
      const logprobs = ids === this.#tokens ? await this.#logprobsOf(choice) : null;
      return {
        kind: 'choice' as const,
        index,
        ids: [],
        logprobs: logprobs ?? [],
        drawnLogprobs: [],
        deltas: [],
        finish: choice.reported(finish),
      };
    });
    for (const [index, event] of (await Promise.all(ending)).entries()) {
      this.#ends.emit(event, () => answerOf(this.#choices[index]!.kept));
    }
  }

  async #logprobsOf({ ids, logprobs }: Choice): Promise<LogprobEntry[] | null> {
    const { lateLogprobs } = this.#options;
    const found = lateLogprobs === null ? logprobs : await lateLogprobs(ids);
    return found?.length === ids.length ? found : null;
  }
}

/** What has arrived of one choice. */
class Choice {
  readonly ids: number[] = [];
  readonly logprobs: LogprobEntry[] = [];
  /** The answer without its reasoning. */
  readonly kept: OutputDelta[] = [];
  finish: Finish | null = null;
  readonly #calls = new Set<number>();

  take(
    ids: readonly number[],
    logprobs: readonly LogprobEntry[],
    deltas: readonly OutputDelta[],
  ): Omit<ChoiceEvent, 'index'> {
    const reported = deltas.map((delta) => this.#withId(delta));
    for (const id of ids) this.ids.push(id);
    for (const entry of logprobs) this.logprobs.push(entry);
    this.kept.push(...reported.filter(({ kind }) => kind !== 'reasoning'));
    return { kind: 'choice', ids: [...ids], logprobs: [], drawnLogprobs: [], deltas: reported, finish: null };
  }

  /** As `output/choice.ts` reports it: an answer with calls that are complete has ended with them. */
  reported(finish: Finish): NonNullable<ChoiceEvent['finish']> {
    if (finish.finishReason !== 'stop' || this.#calls.size === 0) return finish;
    const { toolCalls } = answerOf(this.kept);
    return toolCalls.every((call) => isJson(call.function.arguments))
      ? { ...finish, finishReason: 'tool_calls' }
      : finish;
  }

  /** The first piece of a call has its id and its name. */
  #withId(delta: OutputDelta): OutputDelta {
    if (delta.kind !== 'tool_call' || this.#calls.has(delta.index)) return delta;
    this.#calls.add(delta.index);
    return { id: `call_${randomBytes(12).toString('hex')}`, name: '', ...delta };
  }
}
