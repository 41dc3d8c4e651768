import { MessageChannel } from 'node:worker_threads';
import type { BodyShape } from '../../contract/endpoint.ts';
import { keyOf } from '../../contract/endpoints.ts';
import { openInTurn } from '../../util/in-turn.ts';
import { joined } from '../../util/joined.ts';
import { JsonSizeError } from '../../util/json/errors.ts';
import { requestErrors } from '../../util/request-errors.ts';
import { openTurnQueue } from '../../util/turn-queue.ts';
import { nextTurn } from '../../util/turns.ts';
import { RestartingWorker } from '../../util/workers/restarting-worker.ts';
import { thread } from '../../util/workers/start-worker.ts';
import { keptOf, parseBody } from './parse-body.ts';
import type { BodyParsing } from './parse-worker.ts';
import { receiveValue } from './transfer.ts';

export type BodyParser = {
  /**
   * Parses the body of a request, given in blocks. The caller must not use the blocks afterwards.
   * @throws ValidationError, JsonSyntaxError, JsonDepthError
   */
  parse(shape: BodyShape, blocks: Buffer[]): Promise<unknown>;
  close(): Promise<void>;
};

/** Bodies up to this size are parsed at once on the main thread, unless many arrive together. */
const smallBytesMax = 16 * 1024;
/** Bodies above this size are parsed in another thread, because they would delay all other requests. */
const largeBytesMin = 512 * 1024;

/**
 * A body with more values than this takes long to parse even if it has few bytes: parsing restarts in the other thread.
 */
const valuesMaxHere = 20_000;

/**
 * Parses bodies so that no request waits long for another: small ones at once while the event loop's round is short,
 * medium ones in turns, large ones one after another in a separate thread.
 */
export function openBodyParser(): BodyParser {
  const small = openTurnQueue(); // a separate queue, so that they do not wait behind larger ones
  const large = openThread();
  return {
    async parse(shape, blocks) {
      if (isLarge(blocks) && !shape.bytes) return large.parse(shape, blocks);
      const size = sizeOf(blocks);
      await (size > smallBytesMax ? nextTurn() : small.nextIfLate());
      const bytes = joined(blocks);
      if (shape.bytes) return bytes;
      try {
        return parseBody(shape, bytes.toString(), valuesMaxHere);
      } catch (error) {
        if (error instanceof JsonSizeError) return large.parse(shape, [bytes]);
        throw error;
      }
    },
    close: large.close,
  };
}

/** Whether a body, given in blocks, is large enough for the other thread. */
export function isLarge(blocks: Buffer[]): boolean {
  return sizeOf(blocks) >= largeBytesMin;
}

function sizeOf(blocks: Buffer[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Node's buffers can share their memory with others. Only a buffer with its own memory can be transferred to a thread
 * without a copy.
 */
function ownBytes(bytes: Buffer): Uint8Array {
  const hasOwn = bytes.length === bytes.buffer.byteLength;
  return hasOwn ? new Uint8Array(bytes.buffer) : Uint8Array.prototype.slice.call(bytes);
}

/** Started with the first large body, and ended when there are no more. */
function openThread() {
  const file = new URL('./parse-worker.ts', import.meta.url);
  const worker = new RestartingWorker<BodyParsing>(thread(file), { errors: requestErrors, endsWhenIdle: true });
  const inTurn = openInTurn(); // values are assembled one at a time

  return {
    async parse(shape: BodyShape, buffers: Buffer[]): Promise<unknown> {
      const { port1, port2: pieces } = new MessageChannel();
      try {
        const blocks = buffers.map(ownBytes);
        const transfer = [...blocks.map(({ buffer }) => buffer as ArrayBuffer), pieces];
        const sent = await worker.request('parse', { shape: keyOf(shape), blocks, pieces }, { transfer });
        return await inTurn(() => receiveValue(sent, port1, keptOf(shape)));
      } finally {
        port1.close();
      }
    },
    close: () => worker.close(),
  };
}
