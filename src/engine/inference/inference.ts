import { type HostClient, openHost } from './host-client.ts';
import {
  type GenerateRequest,
  type Generation,
  type InferenceLimits,
  type ModelFiles,
  ModelUnavailable,
} from './types.ts';

/** Answers requests with served models. Models are opened with the first request for them, and stay open. */
export type Inference = {
  /**
   * Resolves when the request was found good; its tokens follow.
   * @throws BadRequest, Overloaded, ModelUnavailable
   */
  generate(model: ModelFiles, request: GenerateRequest, signal: AbortSignal): Promise<Generation>;
  close(): Promise<void>;
};

type Entry = { model: ModelFiles; host: Promise<HostClient>; usedAt: number };

export function openInference(options: {
  limits: InferenceLimits;
  /** Where weights are kept in the form that is mapped into memory. */
  cacheDirectory: string;
}): Inference {
  const entries = new Map<string, Entry>();
  let uses = 0;
  let isClosed = false;

  async function hostOf(model: ModelFiles): Promise<HostClient> {
    const known = entries.get(model.name);
    if (known && known.model.id === model.id) {
      known.usedAt = ++uses;
      const host = await known.host;
      if (host.isAlive) return host;
      if (entries.get(model.name) === known) entries.delete(model.name);
      return hostOf(model);
    }
    if (isClosed) throw new ModelUnavailable('The server is stopping.', false);
    if (known) void closeWhenIdle(known); // another model has taken the name
    const entry = { model, host: open(model), usedAt: ++uses };
    entries.set(model.name, entry);
    entry.host.catch(() => {
      if (entries.get(model.name) === entry) entries.delete(model.name);
    });
    return entry.host;
  }

  /** Where memory does not hold another model, those that nobody uses make room for it. */
  async function open(model: ModelFiles): Promise<HostClient> {
    const { limits, cacheDirectory } = options;
    while (true) {
      try {
        return await openHost({ path: model.path, cacheDirectory, limits });
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

  return {
    async generate(model, request, signal) {
      const host = await hostOf(model);
      return { model, ...(await started(host, request, signal)) };
    },
    async close() {
      isClosed = true;
      await Promise.all([...entries.values()].map(async ({ host }) => (await host.catch(() => null))?.close()));
      entries.clear();
    },
  };
}

async function started(host: HostClient, request: GenerateRequest, signal: AbortSignal) {
  const { accepted, events } = await host.generate(request, signal);
  return { ...accepted, events };
}

const idleCheckMs = 1_000;

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
