import type { GroupKey } from '../../domain/suites/group-keys.ts';
import { splitGroups } from '../../domain/suites/split-groups.ts';
import type { StepRollouts } from '../../domain/training/rollout.ts';
import type { SftSettings } from '../../domain/training/sft-settings.ts';
import type { TrainedCall } from '../../domain/training/trained-call.ts';
import { uniformAt } from '../../engine/sampling/random.ts';
import { invalidInput } from '../../util/failures.ts';
import { FaultyLines, refuseIfNothingIsLeft } from '../prepare/faulty-lines.ts';
import { LineNotices } from '../prepare/line-notices.ts';
import { type RolloutsWanted, takeRollouts } from '../prepare/rollouts.ts';
import type { TokenizeConversation } from '../tokens/conversation-tokens.ts';
import { type Conversation, isAnswer, readConversation } from './conversation.ts';
import { noticesOf } from './message.ts';

/** What a job trains on. */
export type PreparedSft = {
  batches: SftBatch[];
  heldOut: TokenizedConversation[];
  warnings: string[];
  report: SftReport;
  /** The first conversations as text, for people. */
  examples: TextPiece[][];
  rollouts: StepRollouts[];
};

/** A stretch of a conversation that is trained, or that is not. */
export type TextPiece = { text: string; isTrained: boolean };

/** One optimizer step. */
export type SftBatch = {
  conversations: TokenizedConversation[];
  /** Conversations that are too long. */
  dropped: number;
};

export type TokenizedConversation = {
  tokens: Int32Array;
  /** 1 for each token that has a loss. */
  isTrained: Uint8Array;
};

type SftReport = {
  /** Of all lines. */
  trajectories: number;
  heldOut: number;
  /** Conversations that share a trace, a thread or a user: how many groups are trained on, and held out. */
  groups: { training: number; heldOut: number };
  dropped: number;
  /** Of the training data. */
  tokens: number;
  trainedTokens: number;
  /** The calls that lines came from, as far as they are known. */
  calls: TrainedCall[];
};

type Options = {
  settings: SftSettings;
  /** The longest conversation that the model reads. */
  contextLength: number;
  tokenize: TokenizeConversation;
  decode(ids: number[]): string;
  /** How many conversations are wanted as text. */
  examples: number;
  rollouts: RolloutsWanted;
  /** Chooses what is held out. */
  seed: bigint;
  isValidation?: boolean;
};

/** Turns lines into batches of tokens, in their order. All lines are checked before any is trained on. */
export class SftPreparation {
  readonly #options: Options;
  readonly #lines: FaultyLines;
  readonly #notices = new LineNotices();
  /** Null for one that is too long. */
  readonly #conversations: (TokenizedConversation | null)[] = [];
  /** The calls that the conversations came from, as far as they are known. */
  readonly #callIds: string[][] = [];
  readonly #splitKeys: GroupKey[][] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#lines = new FaultyLines(options);
  }

  add(line: string): void {
    const read = this.#lines.read(line, (text) => this.#tokenized(text));
    if (!read) return;
    this.#conversations.push(read.item.conversation);
    this.#callIds.push(read.item.callIds);
    this.#splitKeys.push(read.item.splitKeys);
  }

  /** @throws Failure that names the lines that cannot be trained on */
  finish(): PreparedSft {
    this.#lines.refuse(this.#conversations);
    const { settings, seed } = this.#options;
    const all = this.#conversations;
    const split = splitGroups(this.#splitKeys, settings.heldOutShare, (group) => uniformAt(seed, group));
    const heldOut = new Set([...all.keys()].filter((index) => split.isHeldOut[index]));
    const trained = all.filter((_, index) => !heldOut.has(index));
    const batches = batchesOf(Array<typeof trained>(settings.epochs).fill(trained).flat(), settings.batchSize);
    const { learningRate } = settings;
    if (Array.isArray(learningRate) && learningRate.length < batches.length) {
      throw invalidInput(
        `config.learning_rate has ${counted(learningRate.length, 'value')}, and the data ${counted(batches.length, 'batch', 'batches')}. Give one per batch.`,
        { param: 'learning_rate' },
      );
    }
    const kept = trained.filter((each) => each !== null);
    const dropped = all.filter((each) => each === null).length;
    const { contextLength } = this.#options;
    refuseIfNothingIsLeft(this.#options, kept, `its conversations have more than ${contextLength} tokens`);
    const one =
      dropped === 1 ? 'One conversation is skipped: it has' : `${dropped} conversations are skipped: they have`;
    return {
      batches: batches.map(({ kept: conversations, dropped }) => ({ conversations, dropped })),
      heldOut: all.filter((each, index) => each !== null && heldOut.has(index)) as TokenizedConversation[],
      warnings: [
        ...(settings.heldOutShare > 0 && all.length > 1 && heldOut.size === 0 ? [nothingHeldOut] : []),
        ...(dropped === 0 ? [] : [`${one} more than ${contextLength} tokens.`]),
        ...this.#notices.list(),
      ],
      report: {
        trajectories: all.length,
        heldOut: heldOut.size,
        groups: { training: split.training.groups, heldOut: split.heldOut.groups },
        dropped,
        tokens: kept.reduce((sum, { tokens }) => sum + tokens.length, 0),
        trainedTokens: kept.reduce((sum, { isTrained }) => sum + countOf(isTrained), 0),
        calls: this.#callIds.flatMap((callIds, index) =>
          all[index] === null
            ? []
            : callIds.map((callId) => ({ callId, weight: 1, split: heldOut.has(index) ? 'validation' : 'train' })),
        ),
      },
      examples: kept.slice(0, this.#options.examples).map((each) => piecesOf(each, this.#options.decode)),
      rollouts: takeRollouts(
        batches,
        ({ kept: conversations }) =>
          conversations.map(({ tokens: ids, isTrained }) => ({ ids, isTrained, advantage: null, logprobs: null })),
        this.#options.decode,
        this.#options.rollouts,
      ),
    };
  }

  #tokenized(
    line: string,
  ): Pick<Conversation, 'callIds' | 'splitKeys'> & { conversation: TokenizedConversation | null } {
    const { settings, contextLength, tokenize } = this.#options;
    const { messages, tools, callIds, splitKeys } = readConversation(line);
    const last = messages.findLastIndex(isAnswer);
    const trained = (message: (typeof messages)[number], index: number) =>
      isAnswer(message) && (!settings.trainsLastAnswer || index === last);
    const tokenized = tokenize(messages, tools, trained);
    const conversation = trainedPart(tokenized, contextLength);
    this.#notices.add([...noticesOf(messages), ...noticesOfTokens(tokenized)]);
    return { conversation, callIds, splitKeys };
  }
}

/** What people should know about a conversation as the model reads it. */
export function noticesOfTokens({ showsReasoning, specialTokens }: ReturnType<TokenizeConversation>): string[] {
  return [
    ...(showsReasoning ? [] : [reasoningNotice]),
    ...specialTokens.map((token) => `A message contains ${token}, which the model reads as a special token`),
  ];
}

const reasoningNotice = 'The chat template does not show the reasoning of an answer, so it is not trained';

/** A conversation up to its last trained token. @returns null if it is too long @throws Failure if nothing is trained */
export function trainedPart(
  { ids, isTrained }: ReturnType<TokenizeConversation>,
  tokensMax: number,
): TokenizedConversation | null {
  isTrained.fill(0, 0, 1); // nothing comes before the first token
  const length = isTrained.lastIndexOf(1) + 1; // what follows the last answer teaches nothing
  if (length === 0) throw invalidInput('the chat template shows no answer to learn', { param: 'messages' });
  if (length > tokensMax) return null;
  return { tokens: Int32Array.from(ids.slice(0, length)), isTrained: isTrained.slice(0, length) };
}

const nothingHeldOut =
  'Nothing is held out: the conversations are connected by their traces, threads or users, and their groups are larger than the share.';

/** Items in their order, `size` to a batch. Null is one that was dropped. */
export function batchesOf<Item>(items: readonly (Item | null)[], size: number): { kept: Item[]; dropped: number }[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, batch) => {
    const all = items.slice(batch * size, (batch + 1) * size);
    const kept = all.filter((each) => each !== null);
    return { kept, dropped: all.length - kept.length };
  });
}

function piecesOf({ tokens, isTrained }: TokenizedConversation, decode: Options['decode']): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (let start = 0, end = 0; start < tokens.length; start = end) {
    while (end < tokens.length && isTrained[end] === isTrained[start]) end++;
    pieces.push({ text: decode([...tokens.subarray(start, end)]), isTrained: isTrained[start] === 1 });
  }
  return pieces;
}

export function countOf(isTrained: Uint8Array): number {
  return isTrained.reduce((sum, each) => sum + each, 0);
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
