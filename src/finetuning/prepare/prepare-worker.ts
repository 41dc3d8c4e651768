import { openServedText } from '../../chat/tokenizer/served-text.ts';
import type { RlSettings } from '../../domain/training/rl-settings.ts';
import type { SftSettings } from '../../domain/training/sft-settings.ts';
import { giveWay } from '../../util/give-way.ts';
import { Transferring } from '../../util/workers/messages.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import type { PreparedRl } from '../rl/prepare-rl.ts';
import { RlLines } from '../rl/rl-lines.ts';
import { type PreparedSft, SftPreparation } from '../sft/prepare-sft.ts';
import { openConversationTokens } from '../tokens/conversation-tokens.ts';
import { openRendering } from '../tokens/rendering.ts';

export type JobKind = 'rl' | 'sft';

/** How the data of a job becomes tokens. */
export type PrepareRequest<Kind extends JobKind> = {
  kind: Kind;
  settings: { rl: RlSettings; sft: SftSettings }[Kind];
  modelPath: string;
  contextLength: number;
  seed: bigint;
  /** The time that templates show, in milliseconds since 1970. */
  now: number;
  /** How many conversations are wanted as text. */
  examples?: number;
};

/** What the data of each kind of job becomes. */
export type PreparedOf = { rl: PreparedRl; sft: PreparedSft };

let preparation: RlLines | SftPreparation;

const handlers = {
  async begin(request: PrepareRequest<'rl'> | PrepareRequest<'sft'>): Promise<void> {
    const text = await openServedText(request.modelPath);
    const now = new Date(request.now);
    preparation =
      request.kind === 'rl'
        ? new RlLines({ ...request, rendering: openRendering(text, now) })
        : new SftPreparation({
            ...request,
            tokenize: openConversationTokens(text, now),
            decode: (ids) => text.tokenizer.decode(ids),
            examples: request.examples ?? 0,
          });
  },

  add(lines: string[]): void {
    for (const line of lines) preparation.add(line);
  },

  finish(): Transferring<PreparedRl | PreparedSft> {
    const prepared = preparation.finish();
    return new Transferring(prepared, [...new Set(buffersIn(prepared))]); // each epoch has the same conversations
  },
};

/** The memory of all arrays of numbers in a value. */
function buffersIn(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersIn) : [];
}

export type Preparing = typeof handlers;

/** The thread that turns the data of one job into tokens. */
giveWay();
serveRequests(handlers, { order: 'sequence' });
