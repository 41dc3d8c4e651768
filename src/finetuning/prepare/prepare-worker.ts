import { openServedText, type ServedText } from '../../chat/tokenizer/served-text.ts';
import type { DpoSettings } from '../../domain/training/dpo-settings.ts';
import type { RftSettings } from '../../domain/training/rft-settings.ts';
import type { RlSettings } from '../../domain/training/rl-settings.ts';
import type { SftSettings } from '../../domain/training/sft-settings.ts';
import { giveWay } from '../../util/give-way.ts';
import { garbageCollector } from '../../util/release-memory.ts';
import { Transferring } from '../../util/workers/messages.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import { DpoPreparation, type PreparedDpo } from '../dpo/prepare-dpo.ts';
import { type PreparedRft, RftPreparation } from '../rft/prepare-rft.ts';
import type { GradedPrompt } from '../rft/prompt.ts';
import type { PreparedRl } from '../rl/prepare-rl.ts';
import { RlLines } from '../rl/rl-lines.ts';
import { type PreparedSft, SftPreparation } from '../sft/prepare-sft.ts';
import { openConversationTokens } from '../tokens/conversation-tokens.ts';
import { openRendering, openRenderText } from '../tokens/rendering.ts';
import type { RolloutsWanted } from './rollouts.ts';

export type PreparedKind = 'rl' | 'sft' | 'dpo' | 'rft';

/** How the data of a job becomes tokens. */
export type PrepareRequest<Kind extends PreparedKind> = {
  kind: Kind;
  settings: { rl: RlSettings; sft: SftSettings; dpo: DpoSettings; rft: RftSettings }[Kind];
  /** For `openServedText`. */
  textPath: string;
  contextLength: number;
  seed: bigint;
  /** The time that templates show, in milliseconds since 1970. */
  now: number;
  /** The data is not trained on; errors say so. */
  isValidation?: boolean;
  /** How many conversations are wanted as text. */
  examples?: number;
  /** Which steps are wanted as text; only those of `rl` and `sft`. */
  rollouts?: RolloutsWanted;
};

/** What the data of each kind of job becomes. */
/** One of the kinds of requests. */
export type AnyPrepareRequest = { [Kind in PreparedKind]: PrepareRequest<Kind> }[PreparedKind];

export type PreparedOf = { rl: PreparedRl; sft: PreparedSft; dpo: PreparedDpo; rft: PreparedRft };

type Preparation = RlLines | SftPreparation | DpoPreparation | RftPreparation;

/** Of the one model that the thread is for. */
let text: ServedText | null = null;
let preparation: Preparation | null = null;

const handlers = {
  async begin(request: AnyPrepareRequest): Promise<void> {
    text ??= await openServedText(request.textPath);
    preparation = preparationOf(request, text);
  },

  add(lines: string[]): void {
    for (const line of lines) preparation!.add(line);
  },

  finish(): Transferring<PreparedOf[PreparedKind]> {
    const prepared = preparation!.finish();
    preparation = null; // the thread may be kept
    return new Transferring(prepared, [...new Set(buffersIn(prepared))]); // each epoch has the same conversations
  },
};

function preparationOf(request: AnyPrepareRequest, text: ServedText): Preparation {
  const now = new Date(request.now);
  const decode = (ids: number[]) => text.tokenizer.decode(ids);
  const rollouts = request.rollouts ?? { stepsMax: 0, perStepMax: 0 };
  switch (request.kind) {
    case 'rl':
      return new RlLines({ ...request, rendering: openRendering(text, now), decode, rollouts });
    case 'sft':
      return new SftPreparation({
        ...request,
        tokenize: openConversationTokens(text, now),
        decode,
        rollouts,
        examples: request.examples ?? 0,
      });
    case 'dpo':
      return new DpoPreparation({ ...request, tokenize: openConversationTokens(text, now) });
    case 'rft': {
      const render = openRenderText(text, now);
      const measure = ({ messages, tools }: GradedPrompt) =>
        text.tokenizer.encode(render(messages, tools, true)).length;
      return new RftPreparation({ ...request, measure });
    }
    default:
      return request satisfies never;
  }
}

/** The memory of all arrays of numbers in a value. */
function buffersIn(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersIn) : [];
}

export type Preparing = typeof handlers;

/** The thread that turns the data of jobs over one model into tokens, one after the other. */
giveWay();
serveRequests(handlers, { order: 'sequence', afterWork: garbageCollector() });
