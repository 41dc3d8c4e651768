import {
  type ChatGeneration,
  type ChatGenerationRequest,
  type ChatLimits,
  type ModelCrashed,
  type ModelFiles,
  ModelUnavailable,
} from '../types.ts';
import { CrashBackoff } from './crash-backoff.ts';
import { type HostClient, openHost } from './host-client.ts';

/** Answers requests with served models. Models are opened with the first request for them, and stay open. */
export type Inference = {
  /**
   * Resolves when the request was found good; its tokens follow.
   * @throws BadRequest, Overloaded, ModelUnavailable
   */
  generate(model: ModelFiles, request: ChatGenerationRequest, signal: AbortSignal): Promise<ChatGeneration>;
  close(): Promise<void>;
};

type Entry = {
  model: ModelFiles;
  host: Promise<HostClient>;
  /** Grows from request to request. */
  usedAt: number;
  /** When it was last seen in use, in milliseconds. */
  seenInUseAt: number;
};

export type InferenceOptions = {
  limits: ChatLimits;
  /** Where weights are kept in the form that is mapped into memory. */
  cacheDirectory: string;
  /** How many steps of priority the processes of models are below this one. */
  niceness: number;
  /** How long a model stays open that nobody uses. */
  idleMsMax?: number;
  /** Called when the process of a model has ended although nobody closed it. */
  onCrash?: (error: ModelCrashed) => void;
};

export function openInference(options: InferenceOptions): Inference {
  const { limits, cacheDirectory, niceness, idleMsMax = Number.POSITIVE_INFINITY } = options;
  const entries = new Map<string, Entry>();
  const crashes = new CrashBackoff();
  const stopping = new AbortController();
  let uses = 0;

  async function hostOf(model: ModelFiles): Promise<HostClient> {
    const known = entries.get(model.name);
    if (known && known.model.id === model.id) {
      known.usedAt = ++uses;
      known.seenInUseAt = performance.now();
      const host = await known.host;
      if (host.isAlive) return host;
      if (entries.get(model.name) === known) entries.delete(model.name);
      return hostOf(model);
    }
    if (stopping.signal.aborted) throw new ModelUnavailable('The server is stopping.', false);
    if (known) void closeWhenIdle(known); // another model has taken the name
    const entry = { model, host: open(model), usedAt: ++uses, seenInUseAt: performance.now() };
    entries.set(model.name, entry);
    entry.host.catch(() => {
      if (entries.get(model.name) === entry) entries.delete(model.name);
    });
    return entry.host;
  }

  /** Where memory does not hold another model, those that nobody uses make room for it. */
  async function open(model: ModelFiles): Promise<HostClient> {
    const { name, id, path } = model;
    checkMayStart(name, crashes.waitMs(id));
    const onCrash = (error: ModelCrashed) => {
      crashes.count(id);
      options.onCrash?.(error);
    };
    while (true) {
      try {
        return await openHost({ path, cacheDirectory, limits }, { name, niceness, signal: stopping.signal, onCrash });
      } catch (error) {
        const isTooLarge = ((error as Error).cause as Error | undefined)?.name === 'ModelTooLargeError';
        if (!isTooLarge || !(await closeIdlest())) throw error;
      }
    }
  }

  async function closeIdlest(): Promise<boolean> {
    for (const entry of [...entries.values()].sort((a, b) => a.usedAt - b.usedAt)) {
      const host = await Promise.race([entry.host, null]).catch(() => null);
      if (!host || host.busy > 0) continue;
      entries.delete(entry.model.name);
      await host.close();
      return true;
    }
    return false;
  }

  async function closeUnused(): Promise<void> {
    for (const [name, entry] of entries) {
      const host = await Promise.race([entry.host, null]).catch(() => null);
      if (!host) continue;
      if (host.busy > 0) entry.seenInUseAt = performance.now();
      if (performance.now() - entry.seenInUseAt < idleMsMax) continue;
      entries.delete(name);
      void host.close();
    }
  }
  const idleTimer = setInterval(closeUnused, Math.min(idleMsMax, idleCheckMsMax)).unref();

  return {
    async generate(model, request, signal) {
      let host = await hostOf(model);
      while (!host.isAlive) host = await hostOf(model); // it was closed just now
      return { model, ...(await started(host, request, signal)) };
    },
    async close() {
      clearInterval(idleTimer);
      stopping.abort(); // ends those that are being opened
      await Promise.all([...entries.values()].map(async ({ host }) => (await host.catch(() => null))?.close()));
      entries.clear();
    },
  };
}

function checkMayStart(name: string, waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  const message = `The process of the model ${name} has crashed several times. It may be started again in ${seconds} s. The log of the server says how it ended.`;
  throw new ModelUnavailable(message, false);
}

async function started(host: HostClient, request: ChatGenerationRequest, signal: AbortSignal) {
  const { accepted, events } = await host.generate(request, signal);
  return { ...accepted, events };
}

const idleCheckMs = 1_000;
const idleCheckMsMax = 60_000;

async function closeWhenIdle({ host }: Entry): Promise<void> {
  const open = await host.catch(() => null);
  if (!open) return;
  const timer = setInterval(() => {
    if (open.busy > 0) return;
    clearInterval(timer);
    void open.close();
  }, idleCheckMs);
  timer.unref();
}
