import type { ChatMessage } from '../../chat/templates/messages.ts';
import type { DpoSettings } from '../../domain/training/dpo-settings.ts';
import type { TrainedCall } from '../../domain/training/trained-call.ts';
import { FaultyLines, refuseIfNothingIsLeft } from '../prepare/faulty-lines.ts';
import { LineNotices } from '../prepare/line-notices.ts';
import { isAnswer } from '../sft/conversation.ts';
import { noticesOf } from '../sft/message.ts';
import { batchesOf, countOf, noticesOfTokens, type TokenizedConversation, trainedPart } from '../sft/prepare-sft.ts';
import type { TokenizeConversation } from '../tokens/conversation-tokens.ts';
import { readPreference } from './preference.ts';

/** What a job trains on. */
export type PreparedDpo = {
  batches: DpoBatch[];
  warnings: string[];
  report: DpoReport;
};

/** One optimizer step. */
export type DpoBatch = {
  pairs: Pair[];
  /** Pairs that are too long. */
  dropped: number;
};

/** A conversation with each of its two answers, of which only the answers are trained. */
export type Pair = { preferred: TokenizedConversation; other: TokenizedConversation };

type DpoReport = {
  pairs: number;
  dropped: number;
  /** Of the training data, in both answers of the pairs. */
  tokens: number;
  trainedTokens: number;
  /** The calls that pairs came from, as far as they are known. */
  calls: TrainedCall[];
};

type Options = {
  settings: DpoSettings;
  /** The longest conversation that the model reads. */
  contextLength: number;
  tokenize: TokenizeConversation;
  isValidation?: boolean;
};

/** Turns lines into batches of pairs, in their order. All lines are checked before any is trained on. */
export class DpoPreparation {
  readonly #options: Options;
  readonly #lines: FaultyLines;
  readonly #notices = new LineNotices();
  /** Null for one that is too long. */
  readonly #pairs: (Pair | null)[] = [];
  readonly #calls: TrainedCall[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#lines = new FaultyLines(options);
  }

  add(line: string): void {
    const read = this.#lines.read(line, (text) => this.#tokenized(text));
    if (read) this.#pairs.push(read.item);
  }

  /** @throws Failure that names the lines that cannot be trained on */
  finish(): PreparedDpo {
    this.#lines.refuse(this.#pairs);
    const { settings, contextLength } = this.#options;
    const batches = batchesOf(Array<(Pair | null)[]>(settings.epochs).fill(this.#pairs).flat(), settings.batchSize);
    const kept = this.#pairs.filter((each) => each !== null);
    const dropped = this.#pairs.length - kept.length;
    refuseIfNothingIsLeft(this.#options, kept, `its pairs have more than ${contextLength} tokens`);
    const conversations = kept.flatMap(({ preferred, other }) => [preferred, other]);
    return {
      batches: batches.map((batch) => ({ pairs: batch.kept, dropped: batch.dropped })),
      warnings: [
        ...(dropped === 0 ? [] : [`Skipped pairs with more than ${contextLength} tokens: ${dropped}.`]),
        ...this.#notices.list(),
      ],
      report: {
        pairs: this.#pairs.length,
        dropped,
        tokens: conversations.reduce((sum, { tokens }) => sum + tokens.length, 0),
        trainedTokens: conversations.reduce((sum, { isTrained }) => sum + countOf(isTrained), 0),
        calls: this.#calls,
      },
    };
  }

  #tokenized(line: string): Pair | null {
    const { messages, tools, calls, ...answers } = readPreference(line);
    const notices = noticesOf([...messages, ...answers.preferred, ...answers.other]);
    const tokenized = (answer: typeof answers.preferred) => {
      const isTrained = (message: ChatMessage, index: number) => index >= messages.length && isAnswer(message);
      const found = this.#options.tokenize([...messages, ...answer], tools, isTrained);
      notices.push(...noticesOfTokens(found));
      return trainedPart(found, this.#options.contextLength);
    };
    const [preferred, other] = [tokenized(answers.preferred), tokenized(answers.other)];
    this.#notices.add(notices);
    if (!preferred || !other) return null;
    this.#calls.push(...calls.map((call) => ({ ...call, split: 'train' as const })));
    return { preferred, other };
  }
}
