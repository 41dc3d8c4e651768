import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Endpoint } from '../../contract/endpoint.ts';
import { keyOf } from '../../contract/endpoints.ts';
import { JsonSizeError } from '../../util/json/errors.ts';
import { keptOf, parseBody } from './parse-body.ts';
import { fromWorker, type WorkerAnswer } from './transfer.ts';
import { openTurns } from './turns.ts';

export type BodyParser = {
  /** Parses the body of a request to this endpoint. @throws ValidationError, JsonSyntaxError, JsonDepthError */
  parse(endpoint: Endpoint, bytes: Buffer): Promise<unknown>;
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
    async parse(endpoint, bytes) {
      if (endpoint.bytes) {
        if (bytes.length > smallBytesMax) await turn();
        return bytes;
      }
      if (bytes.length >= largeBytesMin) return thread.parse(endpoint, bytes);
      if (bytes.length > smallBytesMax) await turn();
      try {
        return parseBody(endpoint, bytes.toString(), valuesMaxHere);
      } catch (error) {
        if (error instanceof JsonSizeError) return thread.parse(endpoint, bytes);
        throw error;
      }
    },
    close: thread.close,
  };
}

type Waiting = { kept: ReturnType<typeof keptOf>; resolve(value: unknown): void; reject(error: unknown): void };

/** Started with the first large body. A thread answers in the order in which it was asked. */
function openThread() {
  const waiting: Waiting[] = [];
  let worker: { thread: Worker; pieces: MessagePort } | null = null;

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
    parse(endpoint: Endpoint, bytes: Buffer): Promise<unknown> {
      worker ??= start();
      const copy = Uint8Array.prototype.slice.call(bytes); // a buffer of Node's may share its memory with others
      worker.thread.postMessage({ endpoint: keyOf(endpoint), bytes: copy }, [copy.buffer as ArrayBuffer]);
      return new Promise((resolve, reject) => waiting.push({ kept: keptOf(endpoint), resolve, reject }));
    },
    async close() {
      await worker?.thread.terminate();
    },
  };
}
