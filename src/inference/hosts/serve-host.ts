import type {
  Accepted,
  ChatLimits,
  ChoiceEvent,
  Embeddings,
  EmbeddingsHostRequest,
  GenerationEvent,
  HostRequest,
  TextHalfAnswer,
  TextHalfRequest,
} from '../../chat/types.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import type { AdapterFiles } from '../../engine/adapters/adapter-files.ts';
import { measureModel } from '../../engine/memory/measure-model.ts';
import type { MeasuredModel } from '../../engine/memory/plan-memory.ts';
import type { Scope } from '../../util/workers/messages.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import type { ModelLoad } from '../observer.ts';
import { joinChoices } from './event-queue.ts';
import { Host } from './host.ts';
import { arithmeticOf, type EngineStart, openEngine } from './open-engine.ts';

/** `textPath`: the files of its text half; null if the servers behind the engine have it. */
type HostStart = { textPath: string | null; limits: ChatLimits; engine: EngineStart };

/** Sent before the events of an answer: its request was accepted. */
export type HostEvent = { kind: 'accepted'; accepted: Accepted } | GenerationEvent;

let host: Host | null = null;

const handlers = {
  /** What the model is, before it is loaded. */
  inspect: ({ path, limits }: { path: string; limits: ChatLimits }): Promise<MeasuredModel> =>
    measureModel(path, arithmeticOf(limits)),

  async open({ textPath, limits, engine }: HostStart): Promise<void> {
    host = await Host.open(textPath, limits, openEngine(limits, engine, failLater));
  },

  limitCaches: ({ bytesMax, forgetsPrompts }: { bytesMax: number; forgetsPrompts: boolean }): Promise<number> =>
    host!.limitCaches(bytesMax, { forgetsPrompts }),

  embed: (request: EmbeddingsHostRequest, { signal }: Scope<never>): Promise<Embeddings> =>
    host!.embed(request, signal),

  textHalf: (request: TextHalfRequest, { signal }: Scope<never>): Promise<TextHalfAnswer> =>
    host!.textHalf(request, signal),

  load: (): Promise<ModelLoad> => host!.load(),

  loadAdapter: (files: AdapterFiles): Promise<void> => host!.loadAdapter(files),

  unloadAdapter: (id: AdapterId): Promise<void> => host!.unloadAdapter(id),

  /** Resolves once the answer is complete. */
  async generate(request: HostRequest, { signal, emit }: Scope<HostEvent>): Promise<void> {
    const { accepted, start } = await host!.prepare(request, signal);
    emit({ kind: 'accepted', accepted });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const running = start({ emit, end: (error) => (error ? reject(error) : resolve()) });
    if (signal.aborted) running.cancel();
    signal.addEventListener('abort', () => running.cancel(), { once: true });
    return promise;
  },
};

export type ModelHost = typeof handlers;

/** Serves one model to the parent process: templates, tokens, sampling and scheduling. */
export function serveHost(): void {
  serveRequests(handlers, {
    order: 'concurrent',
    joining: {
      keyOf: (event: HostEvent) => (event.kind === 'choice' ? event.index : null),
      join: (waiting: ChoiceEvent, later: ChoiceEvent) => joinChoices(waiting, later),
    },
    isJson: (event: HostEvent) => event.kind === 'choice',
    onClose: () => host?.close(),
  });
}

/** A model is useless without its thread: the process ends, and the next request starts another. */
function failLater(cause: Error): void {
  setImmediate(() => {
    throw cause;
  });
}
