import { SchemaViolated } from '../../chat/structured/schema-violated.ts';
import type {
  Accepted,
  ChatLimits,
  Embeddings,
  EmbeddingsHostRequest,
  GenerationEvent,
  HostRequest,
  TextHalfAnswer,
  TextHalfRequest,
} from '../../chat/types.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import type { AdapterFiles } from '../../engine/adapters/adapter-files.ts';
import type { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import { ModelTooLargeError } from '../../engine/memory/plan-memory.ts';
import { UnsupportedModelError } from '../../engine/models/config.ts';
import { busy, Failure } from '../../util/failures.ts';
import { hasFairRoom } from '../../util/fair-queue.ts';
import { WorkerClient, WorkerLost } from '../../util/workers/worker-client.ts';
import type { GenerationObserver, ModelLoad } from '../observer.ts';
import { EventQueue } from './event-queue.ts';
import { grantMemory, type HostMemory } from './host-memory.ts';
import { hostProcess } from './host-worker.ts';
import { modelUnavailable } from './model-unavailable.ts';
import type { HostEvent, HostStart, ModelHost } from './serve-host.ts';

/** The server's side of a model's process. */
export type HostClient = {
  /** False once the process has ended or is closing; then a new one must be started. */
  readonly isAlive: boolean;
  /** Requests that have not ended. */
  readonly busy: number;
  /**
   * Resolves when the request is accepted. The generation is canceled when the signal aborts or its events are no
   * longer read. @throws Failure
   */
  generate(
    request: HostRequest,
    signal: AbortSignal,
  ): Promise<{ accepted: Accepted; events: AsyncIterable<GenerationEvent> }>;
  /** Resolves when the adapter is loaded. @throws Failure */
  loadAdapter(files: AdapterFiles): Promise<void>;
  /** Resolves when the adapter is unloaded, after all requests that use it have ended. */
  unloadAdapter(id: AdapterId): Promise<void>;
  /** @throws Failure */
  embed(request: EmbeddingsHostRequest, signal: AbortSignal): Promise<Embeddings>;
  /** @throws Failure */
  textHalf(request: TextHalfRequest, signal: AbortSignal): Promise<TextHalfAnswer>;
  /** How busy the process is. */
  load(): Promise<ModelLoad>;
  /** Returns the memory of caches that no request currently needs. */
  giveBackCaches(): Promise<void>;
  /** Resolves when the process has ended and its memory is free. */
  close(): Promise<void>;
};

export type HostClientOptions = {
  /** The model's name, for messages. */
  name: string;
  /** How much lower the priority of the process is than this one's. */
  niceness: number;
  memory: MemoryBudget;
  /** Aborts when the server stops, and ends the process if it is still being started. */
  signal?: AbortSignal;
  /** Called for each request. */
  observe?: () => GenerationObserver;
  /** Called when the process ends without having been closed. */
  onCrash?: (error: Failure) => void;
};

/** How long a model may take to finish its step and close. */
const closeMsMax = 5_000;

/** @throws Failure with the reason */
export async function openHost(start: Omit<HostStart, 'memory'>, options: HostClientOptions): Promise<HostClient> {
  const { name, niceness, signal: stopping, onCrash } = options;
  const closed = () => modelUnavailable(stopping?.aborted ? 'The server is stopping.' : 'The model was closed.');
  if (stopping?.aborted) throw closed();
  const unavailable = ({ end }: WorkerLost) =>
    end === null
      ? closed()
      : modelUnavailable(`The process of the model ${name} ended ${end.how}. Try again.`, { cause: end.cause });
  let memory: HostMemory | null = null;
  const worker = new WorkerClient<ModelHost>(hostProcess(niceness), {
    errors: [Failure, SchemaViolated, UnsupportedModelError, ModelTooLargeError],
    onEnd(end, isExpected) {
      memory?.release();
      if (!isExpected) onCrash?.(unavailable(new WorkerLost(end)));
    },
  });
  const abort = () => void worker.kill();
  stopping?.addEventListener('abort', abort, { once: true });
  try {
    const model = await worker.request('inspect', start);
    memory = await grantMemory(worker, name, model, options.memory);
    await worker.request('open', { ...start, memory: memory.plan });
  } catch (error) {
    await worker.kill();
    memory?.release(); // granted after the process had ended
    if (error instanceof WorkerLost) throw unavailable(error);
    // Clients get the model's name, not the path of its files on this machine.
    const reason = (error as Error).message.replaceAll(start.path, name);
    const kind = error instanceof UnsupportedModelError ? 'unsupported' : 'unavailable';
    throw modelUnavailable(reason, { kind, cause: error });
  } finally {
    stopping?.removeEventListener('abort', abort);
  }
  const opened = memory;
  const users = new Map<object, string>();

  /** Runs work that counts as a request of a user until it ends. */
  async function asUser<Result>(user: string, signal: AbortSignal, ask: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    checkRoom([...users.values()], user, start.limits);
    const request = {};
    users.set(request, user);
    try {
      return await ask();
    } catch (error) {
      throw error instanceof WorkerLost ? unavailable(error) : error;
    } finally {
      users.delete(request);
    }
  }

  return {
    get isAlive() {
      return worker.isAlive;
    },
    get busy() {
      return users.size;
    },
    async generate(request, signal) {
      signal.throwIfAborted();
      checkRoom([...users.values()], request.tenant[0], start.limits);
      opened.growCaches();
      const leaving = new AbortController();
      const leave = () => leaving.abort(new Error('The client has hung up.'));
      signal.addEventListener('abort', leave, { once: true });
      const queue = new EventQueue(leave);
      users.set(queue, request.tenant[0]);
      const accepted = Promise.withResolvers<Accepted>();
      const observer = options.observe?.();
      const end = (error: Error | null) => {
        observer?.ended(error);
        users.delete(queue);
        signal.removeEventListener('abort', leave);
        accepted.reject(error ?? new Error('A generation ended before it began.'));
        queue.end(error);
      };
      const onEvent = (event: HostEvent) => {
        if (event.kind === 'accepted') {
          observer?.accepted(event.accepted.promptIds.length);
          accepted.resolve(event.accepted);
        } else {
          observer?.event(event);
          queue.push(event);
        }
      };
      worker.request('generate', request, { signal: leaving.signal, onEvent }).then(
        () => end(null),
        (error) => end(error instanceof WorkerLost ? unavailable(error) : error),
      );
      return { accepted: await accepted.promise, events: queue };
    },
    async loadAdapter(files) {
      await worker.request('loadAdapter', files).catch((error) => {
        throw error instanceof WorkerLost ? unavailable(error) : error;
      });
    },
    async unloadAdapter(id) {
      await worker.request('unloadAdapter', id).catch((error) => {
        if (!(error instanceof WorkerLost)) throw error; // without a process, nothing is loaded
      });
    },
    async embed(request, signal) {
      return asUser(request.tenant[0], signal, () => {
        opened.growCaches();
        return worker.request('embed', request, { signal });
      });
    },
    textHalf: (request, signal) =>
      asUser(request.tenant[0], signal, () => worker.request('textHalf', request, { signal })),
    load: () => worker.request('load', null),
    giveBackCaches: () => opened.giveBackCaches(),
    // What it is still generating fails with `closed`, and not with what the process says of its end.
    close: () => (users.size > 0 ? worker.kill() : worker.close(closeMsMax)),
  };
}

/** The process counts only requests that have reached it; while it computes a long prompt, others wait here. */
function checkRoom(users: string[], user: string, { runningMax, waitingMax }: ChatLimits): void {
  const counts = {
    size: users.length,
    own: users.filter((each) => each === user).length,
    owners: new Set(users).size,
  };
  if (hasFairRoom(counts, runningMax + waitingMax)) return;
  throw busy(
    `${users.length} requests are running or waiting for this model; at most ${runningMax + waitingMax} may ` +
      '(chatRunningMax, chatWaitingMax). Try again in a moment.',
  );
}
