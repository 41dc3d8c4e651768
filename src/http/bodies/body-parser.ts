import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Endpoint } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { JsonSizeError } from '../../util/json/errors.ts';
import { whenIdle } from '../../util/when-idle.ts';
import { keptOf, parseBody } from './parse-body.ts';
import { joined } from './read-body.ts';
import { fromWorker, type WorkerAnswer } from './transfer.ts';
import { openTurns } from './turns.ts';

export type BodyParser = {
  /**
   * Parses the body of a request to this endpoint, given in blocks. They must not be used afterwards.
   * @throws ValidationError, JsonSyntaxError, JsonDepthError
   */
  parse(endpoint: Endpoint, blocks: Buffer[]): Promise<unknown>;
  close(): Promise<void>;
};

/** Bodies up to this size are parsed where they arrive, at once: a few milliseconds at the most. */
const smallBytesMax = 16 * 1024;
/** Bodies above this size are parsed by another thread: they would hold up every other request. */
const largeBytesMin = 512 * 1024;

/** A body of more values than this takes long to parse, however few its bytes: the other thread begins anew. */
const valuesMaxHere = 20_000;

/**
 * Parses bodies so that no request waits long for another one's: small ones at once, middling ones one in each turn of
 * the event loop, large ones in a thread of their own, one after the other.
 */
export function openBodyParser(): BodyParser {
  const turn = openTurns();
  const thread = openThread();
  return {
    async parse(endpoint, blocks) {
      const size = blocks.reduce((sum, { length }) => sum + length, 0);
      if (size >= largeBytesMin && !endpoint.bytes) return thread.parse(endpoint, blocks);
      if (size > smallBytesMax) await turn();
      const bytes = joined(blocks);
      if (endpoint.bytes) return bytes;
      try {
        return parseBody(endpoint, bytes.toString(), valuesMaxHere);
      } catch (error) {
        if (error instanceof JsonSizeError) return thread.parse(endpoint, [bytes]);
        throw error;
      }
    },
    close: thread.close,
  };
}

/** A buffer of Node's may share its memory with others. Only what has its own can be given to another thread uncopied. */
function ownBytes(bytes: Buffer): Uint8Array {
  const hasOwn = bytes.length === bytes.buffer.byteLength;
  return hasOwn ? new Uint8Array(bytes.buffer) : Uint8Array.prototype.slice.call(bytes);
}

type Waiting = { kept: ReturnType<typeof keptOf>; resolve(value: unknown): void; reject(error: unknown): void };

/**
 * Started with the first large body, and ended when there are no more. A thread answers in the order in which it was asked.
 */
function openThread() {
  const waiting: Waiting[] = [];
  let worker: { thread: Worker; pieces: MessagePort } | null = null;
  const idle = whenIdle(() => {
    void worker?.thread.terminate();
    worker = null;
  });

  function start() {
    const { port1: pieces, port2 } = new MessageChannel();
    const options = { workerData: { pieces: port2 }, transferList: [port2] };
    const thread = new Worker(new URL('./parse-worker.ts', import.meta.url), options);
    thread.unref();
    pieces.unref();
    let before: Promise<unknown> = Promise.resolve(); // the pieces of a value follow those of the one before
    thread.on('message', (answer: WorkerAnswer) => {
      const { kept, resolve, reject } = waiting.shift()!;
      before = before.then(() => fromWorker(answer, pieces, kept)).then(resolve, reject);
    });
    thread.on('error', (error) => {
      worker = null; // the next body starts another one
      for (const { reject } of waiting.splice(0)) reject(error);
    });
    return { thread, pieces };
  }

  return {
    parse(endpoint: Endpoint, buffers: Buffer[]): Promise<unknown> {
      worker ??= start();
      const blocks = buffers.map(ownBytes);
      const transferred = blocks.map(({ buffer }) => buffer as ArrayBuffer);
      worker.thread.postMessage({ index: endpoints.indexOf(endpoint), blocks }, transferred);
      idle.begin();
      const parsed = new Promise((resolve, reject) => waiting.push({ kept: keptOf(endpoint), resolve, reject }));
      return parsed.finally(idle.finish);
    },
    async close() {
      await worker?.thread.terminate();
    },
  };
}
