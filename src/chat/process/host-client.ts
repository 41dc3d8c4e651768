import assert from 'node:assert/strict';
import { hasFairRoom } from '../../util/fair-queue.ts';
import { Overloaded } from '../../util/overloaded.ts';
import { BadRequest } from '../bad-request.ts';
import {
  type Accepted,
  type ChatGenerationRequest,
  type GenerationEvent,
  ModelCrashed,
  ModelUnavailable,
} from '../types.ts';
import { EventQueue } from './event-queue.ts';
import type { HostStart, Told, WireError } from './protocol.ts';
import { startHostProcess } from './start-host-process.ts';

/** A model in a process of its own, as the rest of the server sees it. */
export type HostClient = {
  /** False once the process has ended or closes; a new one must be opened then. */
  readonly isAlive: boolean;
  /** Requests that have not ended. */
  readonly busy: number;
  /**
   * Resolves when the request was found good. The generation ends early when the signal aborts or its events are no
   * longer read. @throws BadRequest, Overloaded, ModelUnavailable
   */
  generate(
    request: ChatGenerationRequest,
    signal: AbortSignal,
  ): Promise<{ accepted: Accepted; events: AsyncIterable<GenerationEvent> }>;
  /** Resolves when the process has ended, and the system has its memory back. */
  close(): Promise<void>;
};

export type HostClientOptions = {
  /** The model's name, for messages. */
  name: string;
  /** How many steps of priority the process is below this one. */
  niceness: number;
  /** Ends the process while it is being opened. */
  signal?: AbortSignal;
  /** Called when the process has ended although nobody closed it. */
  onCrash?: (error: ModelCrashed) => void;
};

type Open = { user: string; accepted: PromiseWithResolvers<Accepted>; queue: EventQueue };

/** How long a model may take to end its graph and close in order. */
const closeMsMax = 5_000;

/** @throws ModelUnavailable with the reason */
export async function openHost(start: HostStart, options: HostClientOptions): Promise<HostClient> {
  const generations = new Map<number, Open>();
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  let isClosing = false;
  let lastId = 0;
  /** The error that ended the process; for the log. */
  let thrown: Error | undefined;

  const take = (told: Told) => {
    switch (told.type) {
      case 'opened':
        return opened.resolve();
      case 'failedToOpen':
        return opened.reject(fromWire(told.error));
      case 'accepted':
        return generations.get(told.id)?.accepted.resolve(told.accepted);
      case 'event':
        return generations.get(told.id)?.queue.push(told.event);
      case 'ended':
        return finish(told.id, told.error && fromWire(told.error));
      case 'failed':
        thrown = new Error(told.reason);
        return;
      default:
        return told satisfies never;
    }
  };
  const finish = (id: number, error: Error | null) => {
    const open = generations.get(id);
    generations.delete(id);
    open?.accepted.reject(error ?? new Error('A generation ended before it began.'));
    open?.queue.end(error);
  };
  const end = (how: string) => {
    isEnded = true;
    const message = `The process of the model ${options.name} ended ${how}. Try again.`;
    const error = isClosing ? new ModelUnavailable('The model was closed.', false) : new ModelCrashed(message, thrown);
    if (error instanceof ModelCrashed) options.onCrash?.(error);
    opened.reject(error);
    for (const id of generations.keys()) finish(id, error);
    ended.resolve();
  };
  const child = startHostProcess(options.niceness, { onTold: take, onEnd: end });
  const close = async (send: () => void) => {
    isClosing = true;
    if (isEnded) return;
    send();
    const timer = setTimeout(child.kill, closeMsMax);
    await ended.promise;
    clearTimeout(timer);
  };

  const abort = () => void close(child.kill);
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    child.send(start);
    await opened.promise;
  } catch (error) {
    await close(child.kill);
    if (error instanceof ModelUnavailable) throw error;
    const { name, message } = error as Error;
    throw new ModelUnavailable(message, name === 'UnsupportedModelError', { cause: error });
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
  return {
    get isAlive() {
      return !isEnded && !isClosing;
    },
    get busy() {
      return generations.size;
    },
    async generate(request, signal) {
      signal.throwIfAborted();
      assert(!isEnded, 'the process of the model has ended');
      const user = request.tenant[0];
      checkRoom([...generations.values()], user, start);
      const id = ++lastId;
      const cancel = () => {
        if (!generations.has(id)) return;
        child.send({ type: 'cancel', id });
        finish(id, new Error('The client has hung up.'));
      };
      const open: Open = { user, accepted: Promise.withResolvers(), queue: new EventQueue(cancel) };
      open.accepted.promise.catch(() => {}); // it is awaited below, unless the process ends first
      generations.set(id, open);
      signal.addEventListener('abort', cancel, { once: true });
      child.send({ type: 'generate', id, request });
      return { accepted: await open.accepted.promise, events: open.queue };
    },
    close: () => close(() => child.send({ type: 'close' })),
  };
}

/** The process itself counts what has reached it; while it is busy with a long prompt, requests wait before it. */
function checkRoom(open: Open[], user: string, { limits: { runningMax, waitingMax } }: HostStart): void {
  const counts = {
    size: open.length,
    own: open.filter((each) => each.user === user).length,
    owners: new Set(open.map((each) => each.user)).size,
  };
  if (hasFairRoom(counts, runningMax + waitingMax)) return;
  throw new Overloaded(
    `${open.length} requests are running or waiting for this model; at most ${runningMax + waitingMax} may ` +
      '(chatRunningMax, chatWaitingMax). Try again in a moment.',
  );
}

function fromWire({ name, message, param }: WireError): Error {
  if (name === 'BadRequest') return new BadRequest(message, param ?? null);
  if (name === 'Overloaded') return new Overloaded(message);
  return Object.assign(new Error(message), { name });
}
