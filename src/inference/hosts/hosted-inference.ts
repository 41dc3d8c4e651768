import { LRUCache } from 'lru-cache';
import type {
  ChatLimits,
  HostRequest,
  ModelReference,
  TextHalfAnswer,
  TextHalfRequest,
  Tokenized,
  TokenizerDescription,
} from '../../chat/types.ts';
import type { ProcessOffer } from '../../domain/process-offer.ts';
import type { AdapterFiles } from '../../engine/adapters/adapter-files.ts';
import type { Failure } from '../../util/failures.ts';
import { withinMs } from '../../util/within-ms.ts';
import type { Inference } from '../inference.ts';
import { type AdapterPlaces, withAdapterFolder } from '../with-adapter-folder.ts';
import { CrashBackoff } from './crash-backoff.ts';
import type { HostClient } from './host-client.ts';
import { modelUnavailable } from './model-unavailable.ts';

/** An open base model, which serves its own name and those of its adapters. */
type Entry = {
  id: string;
  names: Set<string>;
  host: Promise<HostClient>;
  /** The same, once it is open. */
  opened: HostClient | null;
  /** Those that were used last; its process keeps about as many. */
  adapters: LRUCache<string, true>;
  /** Increases with each request. */
  usedAt: number;
  /** When it was last seen in use, in milliseconds. */
  seenInUseAt: number;
};

export type HostedOptions = AdapterPlaces & {
  limits: ChatLimits;
  /** Starts the process of a model. @throws Failure */
  openHost(model: ModelReference, starting: HostStarting): Promise<HostClient>;
  /** How long an unused model stays open. */
  idleMsMax?: number;
  /** Called when the process of a model ends without having been closed. */
  onCrash?: (error: Failure) => void;
};

export type HostStarting = {
  /** Aborts when the server stops. */
  signal: AbortSignal;
  onCrash(error: Failure): void;
};

/** Runs each base model in a process of its own, which serves its adapters, too. */
export type HostedInference = Omit<Inference, 'roomMaker'> & {
  /** Those whose processes have started, the least recently used first. */
  openHosts(): Promise<HostClient[]>;
  /** Closes a model that is not in use, the least recently used first. @returns whether there was one */
  closeIdlest(): Promise<boolean>;
  /** Whether another request to the base model with this id would run now, without waiting for its turn. */
  hasPlace(id: string): boolean;
  /** The base models that are open, each with the adapters that it has used last. */
  openModels(): ProcessOffer['open'];
  /** Closes the open models that are not listed any more, after their requests. @param list the ids of those that are served */
  closeRemoved(list: () => Promise<ReadonlySet<string>>): Promise<void>;
};

export function openHostedInference(options: HostedOptions): HostedInference {
  const { limits, idleMsMax = Number.POSITIVE_INFINITY } = options;
  /** By the id of the base model. */
  const entries = new Map<string, Entry>();
  /** By the ids of base models: requests that their processes do not count yet. */
  const starting = new Map<string, number>();
  const crashes = new CrashBackoff();
  const stopping = new AbortController();
  let uses = 0;

  async function hostOf(model: ModelReference): Promise<HostClient> {
    leaveOthers(model);
    const known = entries.get(model.id);
    if (known) {
      known.names.add(model.name);
      known.usedAt = ++uses;
      known.seenInUseAt = performance.now();
      const host = await known.host;
      if (host.isAlive) return host;
      forget(known);
      return hostOf(model);
    }
    if (stopping.signal.aborted) throw modelUnavailable('The server is stopping.');
    const { id, name } = model;
    const host = open(model);
    const times = { usedAt: ++uses, seenInUseAt: performance.now() };
    const adapters = new LRUCache<string, true>({ max: limits.adapters.countMax });
    const entry: Entry = { id, names: new Set([name]), host, opened: null, adapters, ...times };
    entries.set(id, entry);
    host.then(
      (opened) => {
        entry.opened = opened;
      },
      () => forget(entry),
    );
    return host;
  }

  /** The answer has the shape of the kind of request (`tokenization.ts`). */
  async function textHalf(
    model: ModelReference,
    request: TextHalfRequest,
    signal: AbortSignal,
  ): Promise<TextHalfAnswer> {
    return (await aliveHostOf(model)).textHalf(request, signal);
  }

  function forget(entry: Entry): void {
    if (entries.get(entry.id) === entry) entries.delete(entry.id);
  }

  /** Closes a model after its last name was given to another. */
  function leaveOthers({ id, name }: ModelReference): void {
    for (const entry of entries.values()) {
      if (entry.id === id || !entry.names.delete(name) || entry.names.size > 0) continue;
      forget(entry);
      void closeWhenIdle(entry);
    }
  }

  async function open(model: ModelReference): Promise<HostClient> {
    const { name, id } = model;
    checkMayStart(name, crashes.waitMs(id));
    return options.openHost(model, {
      signal: stopping.signal,
      onCrash(error) {
        crashes.count(id);
        options.onCrash?.(error);
      },
    });
  }

  async function openEntries(): Promise<{ entry: Entry; host: HostClient }[]> {
    const byUse = [...entries.values()].sort((a, b) => a.usedAt - b.usedAt);
    const found = byUse.map(async (entry) => ({
      entry,
      host: await Promise.race([entry.host, null]).catch(() => null),
    }));
    return (await Promise.all(found)).filter((each) => each.host !== null) as { entry: Entry; host: HostClient }[];
  }

  async function closeIdlest(): Promise<boolean> {
    const idlest = (await openEntries()).find(({ host }) => host.busy === 0);
    if (!idlest) return false;
    forget(idlest.entry);
    await idlest.host.close();
    return true;
  }

  async function closeUnused(): Promise<void> {
    for (const { entry, host } of await openEntries()) {
      if (host.busy > 0) entry.seenInUseAt = performance.now();
      if (performance.now() - entry.seenInUseAt < idleMsMax) continue;
      forget(entry);
      void host.close();
    }
  }
  const idleTimer = setInterval(closeUnused, Math.min(idleMsMax, idleCheckMsMax)).unref();

  /** The files of an adapter are needed only until it is in memory. */
  async function withAdapter<Result>(
    { name, adapter }: ModelReference,
    work: (adapter: AdapterFiles | null) => Promise<Result>,
  ): Promise<Result> {
    if (adapter === null) return work(null);
    const { id, title, files } = adapter;
    return withAdapterFolder(options, { name, files }, (folder) => work({ id, name: title, folder }));
  }

  async function aliveHostOf(model: ModelReference): Promise<HostClient> {
    let host = await hostOf(model);
    while (!host.isAlive) host = await hostOf(model); // it has just been closed
    return host;
  }

  /** Counts a request until the process of its model counts it. */
  async function counted<Result>(
    { id, adapter }: ModelReference,
    work: (begun: () => void) => Promise<Result>,
  ): Promise<Result> {
    starting.set(id, (starting.get(id) ?? 0) + 1);
    let isCounted = true;
    const begun = () => {
      if (isCounted) starting.set(id, starting.get(id)! - 1);
      isCounted = false;
    };
    try {
      const result = await work(begun);
      if (adapter !== null) entries.get(id)?.adapters.set(adapter.id, true);
      return result;
    } finally {
      begun();
    }
  }

  return {
    hasPlace: (id) => (entries.get(id)?.opened?.busy ?? 0) + (starting.get(id) ?? 0) < limits.runningMax,
    openModels: () =>
      [...entries.values()].flatMap(({ id, opened, adapters }) =>
        opened === null
          ? []
          : [{ id, adapters: [...adapters.keys()], hasRoomForAdapters: adapters.size < limits.adapters.countMax }],
      ),
    async closeRemoved(list) {
      const before = [...entries.values()]; // what is opened from now on may be newer than the list
      if (before.length === 0) return;
      const listed = await list();
      for (const entry of before) {
        if (listed.has(entry.id) || entries.get(entry.id) !== entry) continue;
        forget(entry);
        void closeWhenIdle(entry);
      }
    },
    // The adapter is in memory from the time that a request is accepted until it ends.
    generate: (model, request, signal) =>
      counted(model, async (begun) => {
        const host = await aliveHostOf(model);
        return withAdapter(model, async (adapter) => {
          const starting = started(host, { ...request, adapter }, signal);
          begun();
          return { model, ...(await starting) };
        });
      }),
    embed: (model, request, signal) =>
      counted(model, async (begun) => {
        const host = await aliveHostOf(model);
        return withAdapter(model, (adapter) => {
          const embedding = host.embed({ ...request, adapter }, signal);
          begun();
          return embedding;
        });
      }),
    tokenize: async (model, request, signal) =>
      (await textHalf(model, { kind: 'tokenize', ...request }, signal)) as Tokenized,
    detokenize: async (model, request, signal) =>
      (await textHalf(model, { kind: 'detokenize', ...request }, signal)) as Tokenized,
    describeTokenizer: async (model, tenant, signal) =>
      (await textHalf(model, { kind: 'describe', tenant }, signal)) as TokenizerDescription,
    async loadAdapter(model) {
      const host = await aliveHostOf(model);
      await withAdapter(model, (adapter) => host.loadAdapter(adapter!));
      entries.get(model.id)?.adapters.set(model.adapter.id, true);
    },
    async unloadAdapter({ id, adapter }) {
      const host = await entries.get(id)?.host.catch(() => null);
      entries.get(id)?.adapters.delete(adapter.id);
      await host?.unloadAdapter(adapter.id);
    },
    openHosts: async () => (await openEntries()).map(({ host }) => host),
    closeIdlest,
    async load(timeoutMs) {
      const asked = (await openEntries()).map(async ({ entry, host }) => {
        const load = await withinMs(
          timeoutMs,
          host.load().catch(() => null),
          () => null,
        );
        return load === null ? [] : [[entry.id, load] as const];
      });
      return new Map((await Promise.all(asked)).flat());
    },
    async close() {
      clearInterval(idleTimer);
      stopping.abort(); // ends those that are being started
      await Promise.all([...entries.values()].map(async ({ host }) => (await host.catch(() => null))?.close()));
      entries.clear();
    },
  };
}

function checkMayStart(name: string, waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  const message = `The process of the model ${name} has crashed several times. It may be started again in ${seconds} s. The log of the server says how it ended.`;
  throw modelUnavailable(message);
}

async function started(host: HostClient, request: HostRequest, signal: AbortSignal) {
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
