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
import { ModelTooLargeError } from '../../engine/memory/plan-memory.ts';
import { UnsupportedModelError } from '../../engine/models/config.ts';
import { busy, Failure } from '../../util/failures.ts';
import { hasFairRoom } from '../../util/fair-queue.ts';
import { WorkerClient, WorkerLost } from '../../util/workers/worker-client.ts';
import type { GenerationObserver, ModelLoad } from '../observer.ts';
import { EventQueue } from './event-queue.ts';
import { hostProcess } from './host-worker.ts';
import { modelUnavailable } from './model-unavailable.ts';
import type { HostEvent, ModelHost } from './serve-host.ts';

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
  limits: ChatLimits;
  /** The settings that limit how many requests it takes, for messages. */
  limitedBy: string;
  /**
   * Opens the model in its process, which has just started, and calls `holds` with the memory that it takes of this machine's
   * models, if any: it is released when the process ends.
   */
  open(worker: WorkerClient<ModelHost>, holds: (memory: HostMemory) => void): Promise<void>;
  /** The path of the model's files, which messages to clients leave out. Null without files here. */
  path: string | null;
  /** Aborts when the server stops, and ends the process if it is still being started. */
  signal?: AbortSignal;
  /** Called for each request. */
  observe?: () => GenerationObserver;
  /** Called when the process ends without having been closed. */
  onCrash?: (error: Failure) => void;
};

/** The share of the memory of models that a process holds. */
export type HostMemory = {
  /** Makes the caches as small as the running sequences allow, and drops the prompts kept for later requests. */
  giveBackCaches(): Promise<void>;
  /** Takes back what `giveBackCaches` returned, as far as it is free. */
  growCaches(): void;
  release(): void;
};

/** How long a model may take to finish its step and close. */
const closeMsMax = 5_000;

/** @throws Failure with the reason */
export async function openHost(options: HostClientOptions): Promise<HostClient> {
  const { name, niceness, path, signal: stopping, onCrash } = options;
  const closed = () => modelUnavailable(stopping?.aborted ? 'The server is stopping.' : 'The model was closed.');
  if (stopping?.aborted) throw closed();
  const unavailable = ({ end }: WorkerLost) =>
    end === null
      ? closed()
      : modelUnavailable(`The process of the model ${name} ended ${end.how}. Try again.`, { cause: end.cause });
  const held = { memory: null as HostMemory | null };
  const worker = new WorkerClient<ModelHost>(hostProcess(niceness), {
    errors: [Failure, SchemaViolated, UnsupportedModelError, ModelTooLargeError],
    onEnd(end, isExpected) {
      held.memory?.release();
      if (!isExpected) onCrash?.(unavailable(new WorkerLost(end)));
    },
  });
  const abort = () => void worker.kill();
  stopping?.addEventListener('abort', abort, { once: true });
  try {
    await options.open(worker, (memory) => {
      held.memory = memory;
    });
  } catch (error) {
    await worker.kill();
    held.memory?.release(); // granted after the process had ended
    if (error instanceof WorkerLost) throw unavailable(error);
    // Clients get the model's name, not the path of its files on this machine.
    const { message } = error as Error;
    const reason = path === null ? message : message.replaceAll(path, name);
    const kind = error instanceof UnsupportedModelError ? 'unsupported' : 'unavailable';
    throw modelUnavailable(reason, { kind, cause: error });
  } finally {
    stopping?.removeEventListener('abort', abort);
  }
  const users = new Map<object, string>();

  /** Runs work that counts as a request of a user until it ends. */
  async function asUser<Result>(user: string, signal: AbortSignal, ask: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    checkRoom([...users.values()], user, options);
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
      checkRoom([...users.values()], request.tenant[0], options);
      held.memory?.growCaches();
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
        held.memory?.growCaches();
        return worker.request('embed', request, { signal });
      });
    },
    textHalf: (request, signal) =>
      asUser(request.tenant[0], signal, () => worker.request('textHalf', request, { signal })),
    load: () => worker.request('load', null),
    giveBackCaches: async () => held.memory?.giveBackCaches(),
    // What it is still generating fails with `closed`, and not with what the process says of its end.
    close: () => (users.size > 0 ? worker.kill() : worker.close(closeMsMax)),
  };
}

/** The process counts only requests that have reached it; while it computes a long prompt, others wait here. */
function checkRoom(
  users: string[],
  user: string,
  { limits: { runningMax, waitingMax }, limitedBy }: Pick<HostClientOptions, 'limits' | 'limitedBy'>,
): void {
  const counts = {
    size: users.length,
    own: users.filter((each) => each === user).length,
    owners: new Set(users).size,
  };
  if (hasFairRoom(counts, runningMax + waitingMax)) return;
  throw busy(
    `${users.length} requests are running or waiting for this model; at most ${runningMax + waitingMax} may ` +
      `(${limitedBy}). Try again in a moment.`,
  );
}
