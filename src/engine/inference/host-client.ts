import { SHARE_ENV, Worker } from 'node:worker_threads';
import { BadRequest } from '../bad-request.ts';
import { EventQueue } from './event-queue.ts';
import type { Asked, HostStart, Told, WireError } from './protocol.ts';
import { type Accepted, type GenerateRequest, type GenerationEvent, ModelUnavailable, Overloaded } from './types.ts';

/** A model on a thread of its own, as the rest of the server sees it. */
export type HostClient = {
  /** False once the thread has ended; a new one must be opened then. */
  readonly isAlive: boolean;
  /** Requests that have not ended. */
  readonly busy: number;
  /**
   * Resolves when the request was found good. The generation ends early when the signal aborts or its events are no
   * longer read. @throws BadRequest, Overloaded
   */
  generate(
    request: GenerateRequest,
    signal: AbortSignal,
  ): Promise<{ accepted: Accepted; events: AsyncIterable<GenerationEvent> }>;
  close(): Promise<void>;
};

type Open = { accepted: PromiseWithResolvers<Accepted>; queue: EventQueue };

/** @throws ModelUnavailable with the reason */
export async function openHost(start: HostStart): Promise<HostClient> {
  // With the environment itself instead of a copy, since a library reads there what the thread sets (`openModel`).
  const worker = new Worker(new URL('./host-thread.ts', import.meta.url), { workerData: start, env: SHARE_ENV });
  const generations = new Map<number, Open>();
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let isAlive = true;
  let lastId = 0;
  const ask = (asked: Asked) => worker.postMessage(asked);
  const endAll = (error: Error) => {
    isAlive = false;
    opened.reject(error);
    closed.resolve();
    for (const { accepted, queue } of generations.values()) {
      accepted.reject(error);
      queue.end(error);
    }
    generations.clear();
  };
  const finish = (id: number, error: Error | null) => {
    const open = generations.get(id);
    generations.delete(id);
    open?.accepted.reject(error ?? new Error('A generation ended before it began.'));
    open?.queue.end(error);
  };
  worker.on('message', (told: Told) => {
    switch (told.type) {
      case 'opened':
        return opened.resolve();
      case 'failedToOpen':
        return opened.reject(fromWire(told.error));
      case 'accepted':
        return generations.get(told.id)?.accepted.resolve(told.accepted);
      case 'events':
        for (const [id, event] of told.events) generations.get(id)?.queue.push(event);
        return;
      case 'ended':
        return finish(told.id, told.error && fromWire(told.error));
      case 'closed':
        return closed.resolve();
      default:
        return told satisfies never;
    }
  });
  worker.on('error', (cause) => endAll(new Error('The thread of the model has failed.', { cause })));
  worker.on('exit', () => endAll(new Error('The model was closed.')));
  try {
    await opened.promise;
  } catch (error) {
    await worker.terminate();
    const { name, message } = error as Error;
    throw new ModelUnavailable(message, name === 'UnsupportedModelError', { cause: error });
  }
  return {
    get isAlive() {
      return isAlive;
    },
    get busy() {
      return generations.size;
    },
    async generate(request, signal) {
      signal.throwIfAborted();
      const id = ++lastId;
      const cancel = () => {
        if (!generations.has(id)) return;
        ask({ type: 'cancel', id });
        finish(id, new Error('The client has hung up.'));
      };
      const open: Open = { accepted: Promise.withResolvers(), queue: new EventQueue(cancel) };
      open.accepted.promise.catch(() => {}); // it is awaited below, unless the thread ends first
      generations.set(id, open);
      signal.addEventListener('abort', cancel, { once: true });
      ask({ type: 'generate', id, request });
      return { accepted: await open.accepted.promise, events: open.queue };
    },
    async close() {
      if (!isAlive) return;
      ask({ type: 'close' });
      await closed.promise;
      await worker.terminate();
    },
  };
}

function fromWire({ name, message, param }: WireError): Error {
  if (name === 'BadRequest') return new BadRequest(message, param ?? null);
  if (name === 'Overloaded') return new Overloaded(message);
  return Object.assign(new Error(message), { name });
}
