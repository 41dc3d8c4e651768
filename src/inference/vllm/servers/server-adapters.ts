import { busy, Failure, notFound } from '../../../util/failures.ts';
import { openInTurn } from '../../../util/in-turn.ts';
import { ServerRefusal } from './failures.ts';
import type { HttpClient } from './http-client.ts';

export type Adapter = { name: string; path: string };

export type HeldAdapter = {
  /** The request that uses it has ended. */
  release(): void;
  /** The server does not have it any more. */
  isGone(): void;
};

type Entry = {
  /** Requests that use it. */
  uses: number;
  lastUse: number;
  loading: Promise<void>;
  /** Resolves when it is unloaded, if it is to be. */
  left: PromiseWithResolvers<void>;
};

export type ServerAdaptersOptions = {
  /** How many adapters are loaded at a time. */
  loadedMax: number;
  loadMsMax: number;
};

/** The adapters that this process has loaded into one server. */
export class ServerAdapters {
  readonly #address: string;
  readonly #http: HttpClient;
  readonly #options: ServerAdaptersOptions;
  readonly #entries = new Map<string, Entry>();
  /** Those that wait for the end of the requests that use them. */
  readonly #leaving = new Map<string, Entry>();
  readonly #inTurn = openInTurn();
  #uses = 0;

  constructor(address: string, http: HttpClient, options: ServerAdaptersOptions) {
    this.#address = address;
    this.#http = http;
    this.#options = options;
  }

  get loaded(): string[] {
    return [...this.#entries.keys()];
  }

  /** Loads the adapter unless it is loaded, and keeps it until it is released. @throws Failure if it cannot be loaded */
  async hold(adapter: Adapter): Promise<HeldAdapter> {
    const { name } = adapter;
    const entry = this.#entries.get(name) ?? this.#stay(name) ?? this.#add(adapter);
    entry.uses++;
    entry.lastUse = ++this.#uses;
    const release = () => {
      entry.uses--;
      if (entry.uses === 0 && this.#leaving.get(name) === entry) void this.#leave(name, entry);
    };
    try {
      await entry.loading;
    } catch (error) {
      release();
      throw error;
    }
    const isGone = () => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    };
    return { release, isGone };
  }

  /** Resolves when it is unloaded, which is after the requests that use it. */
  async unload(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    this.#leaving.set(name, entry);
    if (entry.uses === 0) void this.#leave(name, entry);
    await entry.left.promise;
  }

  /** The server has started anew. */
  forget(): void {
    for (const { left } of this.#leaving.values()) left.resolve();
    this.#entries.clear();
    this.#leaving.clear();
  }

  #add({ name, path }: Adapter): Entry {
    const loading = this.#inTurn(async () => {
      await this.#makeRoom();
      await this.#load(name, path);
    });
    const entry: Entry = { uses: 0, lastUse: 0, loading, left: Promise.withResolvers() };
    this.#entries.set(name, entry);
    loading.catch(() => {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    });
    return entry;
  }

  #stay(name: string): Entry | undefined {
    const entry = this.#leaving.get(name);
    if (!entry) return undefined;
    this.#leaving.delete(name);
    entry.left.resolve();
    entry.left = Promise.withResolvers();
    this.#entries.set(name, entry);
    return entry;
  }

  /** Unloads the one that was not used for longest. @throws Failure if all are in use */
  async #makeRoom(): Promise<void> {
    if (this.#entries.size <= this.#options.loadedMax) return;
    const unused = [...this.#entries].filter(([, { uses }]) => uses === 0);
    if (unused.length === 0) throw busy('All adapters that may be loaded into the vLLM server are in use.');
    const [name] = unused.reduce((a, b) => (a[1].lastUse < b[1].lastUse ? a : b));
    this.#entries.delete(name);
    await this.#unload(name);
  }

  async #leave(name: string, entry: Entry): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#leaving.get(name) !== entry) return; // used again in the meantime
      this.#leaving.delete(name);
      await this.#unload(name);
      entry.left.resolve();
    });
  }

  async #load(lora_name: string, lora_path: string): Promise<void> {
    try {
      await this.#post('/v1/load_lora_adapter', { lora_name, lora_path });
    } catch (error) {
      if (!(error instanceof ServerRefusal)) throw error;
      if (error.status === 400 && /already been loaded/.test(error.words)) return;
      throw explained(error);
    }
  }

  async #unload(name: string): Promise<void> {
    try {
      await this.#post('/v1/unload_lora_adapter', { lora_name: name });
    } catch {
      // It stays loaded there, which only costs memory, or the server does not have it any more.
    }
  }

  #post(path: string, body: Record<string, unknown>) {
    return this.#http.ask(this.#address, { path, body, timeoutMs: this.#options.loadMsMax });
  }
}

function explained(error: ServerRefusal): Failure {
  const { status, words } = error;
  const rank = /LoRA rank \d+ is greater than max_lora_rank \d+\./.exec(words);
  if (rank) return new Failure('invalidInput', rank[0], {}, { cause: error });
  if (status === 405 || (status === 404 && words === 'Not Found'))
    return loadsNoAdapters('was started without VLLM_ALLOW_RUNTIME_LORA_UPDATING=1');
  if (/LoRA is not enabled/i.test(words)) return loadsNoAdapters('was started without --enable-lora');
  if (status === 404) return notFound(`The vLLM server does not find the files of the adapter: ${words}`);
  return error;
}

export function loadsNoAdapters(why: string): Failure {
  return new Failure('unsupported', `The vLLM server of the model loads no adapters: it ${why}.`);
}
