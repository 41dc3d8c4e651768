import { setImmediate } from 'node:timers/promises';
import { busy, Failure, invalidInput } from '../../../util/failures.ts';
import { humanBytes } from '../../../util/human-bytes.ts';
import { openInTurn } from '../../../util/in-turn.ts';
import { RestartingWorker } from '../../../util/workers/restarting-worker.ts';
import { thread } from '../../../util/workers/start-worker.ts';
import type { AdapterId } from '../../adapter-id.ts';
import type { LoadedModel } from '../../runtime/types.ts';
import type { AdapterFiles, AdapterLimits } from '../adapter-files.ts';
import { adapterLayout } from '../layout.ts';
import type { AdapterReader } from './reader-worker.ts';
import type { SharedMemory } from './shared-memory.ts';

type Entry = {
  id: AdapterId;
  /** Resolves when the adapter is loaded. */
  ready: Promise<void>;
  /** The number of requests that use it or wait for it. */
  uses: number;
  /** Increases with each use. */
  usedAt: number;
  bytes: number;
  /** Set when unloading was requested; called once it is done. */
  onUnloaded: (() => void) | null;
};

export type AdapterPoolOptions = {
  model: LoadedModel;
  memory: SharedMemory;
  limits: AdapterLimits;
  /** Drops kept prompts that were computed with the adapter. */
  forgetPrompts(id: AdapterId): Promise<void>;
};

/** How long a request waits until a loaded adapter is unused and can be replaced. */
const waitMsMax = 30_000;

/**
 * The adapters of a model that are in memory. They are read on first use, in a separate thread so that other sequences
 * continue. If memory is full, the least recently used ones are unloaded.
 */
export class AdapterPool {
  readonly #options: AdapterPoolOptions;
  readonly #reader = new RestartingWorker<AdapterReader>(thread(new URL('./reader-worker.ts', import.meta.url)), {
    errors: [Failure],
    endsWhenIdle: true,
  });
  readonly #entries = new Map<AdapterId, Entry>();
  #uses = 0;
  /** Serializes loading and unloading. */
  readonly #inTurn = openInTurn();
  #onUnused = Promise.withResolvers<void>();

  constructor(options: AdapterPoolOptions) {
    this.#options = options;
  }

  /**
   * Loads the adapter if needed, and keeps it in memory until the returned function is called.
   * @throws Failure, the reason of the signal
   */
  async use(files: AdapterFiles, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const entry = this.#entries.get(files.id) ?? this.#add(files);
    entry.uses++;
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.#release(entry);
      isReleased = true;
    };
    try {
      await entry.ready;
      signal?.throwIfAborted();
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Unloads the adapter after all requests that use it have ended. */
  async unload(id: AdapterId): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = entry.onUnloaded;
    entry.onUnloaded = () => {
      before?.();
      resolve();
    };
    this.#removeIfLeaving(entry);
    return promise;
  }

  /** Unloads all adapters that no request uses. */
  async unloadUnused(): Promise<void> {
    await this.#inTurn(async () => {
      while (await this.#evict());
    });
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #add(files: AdapterFiles): Entry {
    const entry: Entry = { id: files.id, ready: Promise.resolve(), uses: 0, usedAt: 0, bytes: 0, onUnloaded: null };
    this.#entries.set(files.id, entry);
    entry.ready = this.#inTurn(() => this.#load(entry, files));
    entry.ready.catch(() => {
      if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
      entry.onUnloaded?.();
    });
    return entry;
  }

  async #load(entry: Entry, { folder }: AdapterFiles): Promise<void> {
    const { model, limits, memory } = this.#options;
    const { config } = model;
    const { rank } = await this.#reader.request('inspect', { folder, config });
    if (rank > limits.rankMax) {
      throw invalidInput(`The rank of the adapter is ${rank}; at most ${limits.rankMax} is allowed (adapterRankMax).`);
    }
    const { layers, width } = adapterLayout(config);
    const bytes = 2 * Float32Array.BYTES_PER_ELEMENT * layers * width * rank; // a batch has a second copy
    await this.#makeRoom(bytes);
    try {
      const packed = await this.#reader.request('read', { folder, config });
      await model.addAdapter(entry.id, packed);
      entry.bytes = bytes;
    } catch (error) {
      await memory.free(bytes);
      throw error;
    }
  }

  async #makeRoom(bytes: number): Promise<void> {
    const { limits, memory } = this.#options;
    const deadline = performance.now() + waitMsMax;
    while (true) {
      const isFull = this.#loaded().length >= limits.countMax;
      if (!isFull && (await memory.reserve(bytes))) return;
      if (await this.#evict()) continue;
      if (bytes > memory.adapterBytesMax) throw invalidInput(tooLarge(bytes, memory.adapterBytesMax));
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw busy(isFull ? allInUse(limits.countMax) : memoryInUse(bytes));
      await this.#untilUnused(leftMs);
    }
  }

  /** Unloads the least recently used adapter; false if all are in use. */
  async #evict(): Promise<boolean> {
    const [oldest] = this.#loaded()
      .filter(({ uses }) => uses === 0)
      .sort((a, b) => a.usedAt - b.usedAt);
    if (oldest === undefined) return false;
    await this.#remove(oldest);
    return true;
  }

  #loaded(): Entry[] {
    return [...this.#entries.values()].filter(({ bytes }) => bytes > 0);
  }

  #release(entry: Entry): void {
    entry.uses--;
    entry.usedAt = ++this.#uses;
    if (entry.uses > 0) return;
    this.#removeIfLeaving(entry);
    this.#onUnused.resolve();
    this.#onUnused = Promise.withResolvers();
  }

  #removeIfLeaving(entry: Entry): void {
    if (entry.onUnloaded === null) return;
    const remove = async () => {
      const isLoaded = this.#entries.get(entry.id) === entry && entry.bytes > 0;
      if (isLoaded && entry.uses === 0) await this.#remove(entry);
    };
    void this.#inTurn(remove).catch(() => {}); // the model was closed
  }

  async #remove(entry: Entry): Promise<void> {
    const { model, memory, forgetPrompts } = this.#options;
    this.#entries.delete(entry.id);
    await forgetPrompts(entry.id);
    await setImmediate(); // until a step that was already prepared is sent
    await model.removeAdapter(entry.id);
    await memory.free(entry.bytes);
    entry.onUnloaded?.();
  }

  async #untilUnused(msMax: number): Promise<void> {
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, Math.min(msMax, 1_000)); // nothing reports that sequences release memory
    await Promise.race([this.#onUnused.promise, timer.promise]);
    clearTimeout(timeout);
  }
}

function tooLarge(bytes: number, bytesMax: number): string {
  return (
    `The adapter needs ${humanBytes(bytes)} of memory, and its model has ${humanBytes(bytesMax)} for adapters. ` +
    'Allow the models more memory (modelMemoryMaxBytes).'
  );
}

function allInUse(countMax: number): string {
  return `${countMax} adapters of this model are in use; at most ${countMax} may be loaded (adaptersMax). Try again in a moment.`;
}

function memoryInUse(bytes: number): string {
  return `The adapter needs ${humanBytes(bytes)} of memory, which running requests use. Try again in a moment.`;
}
