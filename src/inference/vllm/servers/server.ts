import { type Answering, AnsweringProcesses } from './answering-processes.ts';
import { Circuit, type CircuitOptions, type CircuitState } from './circuit.ts';
import { ServerLost, ServerRefusal } from './failures.ts';
import type { HttpClient } from './http-client.ts';
import { type Capabilities, probe } from './probe.ts';
import { readMetrics, type ServerMetrics } from './prometheus.ts';
import { ServerAdapters, type ServerAdaptersOptions } from './server-adapters.ts';
import { type ListedModel, modelList, versionAnswer } from './wire.ts';

/** What a server has said of itself since its process started. */
export type ServerFacts = {
  version: string | null;
  /** The base models. */
  models: ListedModel[];
  /** Those that it lists, by the name of their base model. */
  adapters: ListedModel[];
  metrics: ServerMetrics | null;
};

export type ServerOptions = {
  circuit: CircuitOptions;
  /** Between two checks of a healthy server. */
  checkMs: number;
  /** For a small request. */
  answerMsMax: number;
  /** For a probe, which may be the first request of all. */
  probeMsMax: number;
  adapters: ServerAdaptersOptions;
  /** Whether the logprobs of prompts may be asked for. */
  scoresPrompts: boolean;
};

type Events = {
  /** The models that it lists have changed. */
  onModels(): void;
  /** A process that was not known answers. */
  onNewProcess(): void;
  onCircuit(before: CircuitState): void;
};

/** One address, and what is known of the server there. */
export class VllmServer {
  readonly address: string;
  readonly #http: HttpClient;
  readonly #options: ServerOptions;
  readonly #events: Events;
  readonly circuit: Circuit;
  /** What this process has loaded there. */
  readonly adapters: ServerAdapters;
  readonly #closing = new AbortController();
  /** Aborted when the server does not respond: waiting requests go elsewhere. */
  #lost = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | null = null;
  readonly #processes = new AnsweringProcesses();
  /** Of the models of the current process. */
  readonly #probed = new Map<string, Promise<Capabilities>>();
  #inFlightAtCheck = 0;
  /** Whether the last check has failed. */
  #isSuspect = false;
  facts: ServerFacts | null = null;
  /** Whether the current process loads adapters while it runs. Null until it was asked. */
  loadsAdapters: boolean | null = null;
  inFlight = 0;

  constructor(address: string, http: HttpClient, options: ServerOptions, events: Events) {
    this.address = address;
    this.#http = http;
    this.#options = options;
    this.#events = events;
    this.circuit = new Circuit(options.circuit);
    this.adapters = new ServerAdapters(address, http, options.adapters);
  }

  get circuitState(): CircuitState {
    return this.circuit.state;
  }

  get waiting(): number {
    return this.facts?.metrics?.waiting ?? 0;
  }

  /** Requests of everybody: those of the last check, and what this process has begun or ended since. */
  get load(): number {
    const { running = 0, waiting = 0 } = this.facts?.metrics ?? {};
    return Math.max(running + waiting + this.inFlight - this.#inFlightAtCheck, this.inFlight);
  }

  /** Aborted when the server is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  serves(model: string): boolean {
    return this.facts?.models.some(({ id }) => id === model) ?? false;
  }

  get answering(): Answering {
    return this.#processes.answering;
  }

  /** Asked once for each process of the server. @throws Failure if the server does not answer */
  capabilities(model: string): Promise<Capabilities> {
    const known = this.#probed.get(model);
    if (known) return known;
    const { signal } = this.#closing;
    const { probeMsMax: timeoutMs, scoresPrompts } = this.#options;
    const probed = probe(this.#http, this.address, model, { timeoutMs, scoresPrompts, signal });
    this.#probed.set(model, probed);
    const isCurrent = () => this.#probed.get(model) === probed;
    probed.then(
      ({ loadsAdapters }) => {
        if (isCurrent()) this.loadsAdapters = loadsAdapters;
      },
      () => {
        if (isCurrent()) this.#probed.delete(model); // asked again next time
      },
    );
    return probed;
  }

  /** Looks at the server now, or shares in the look under way. It never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
      this.#schedule();
    });
    return this.#checking;
  }

  /** A request has failed because of the server. */
  requestFailed(error: ServerLost | ServerRefusal): void {
    const isDown = error instanceof ServerLost && error.how === 'down';
    this.#change(() => this.circuit.failed(error.reason, isDown), isDown);
    if (this.circuit.state === 'open') this.#schedule();
    else void this.check();
  }

  requestSucceeded(): void {
    this.#change(() => this.circuit.succeeded());
  }

  async close(): Promise<void> {
    this.#closing.abort(new ServerLost(this.address, 'is no longer used'));
    clearTimeout(this.#timer);
    await this.#checking;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    const { circuit, checkMs } = this.#options;
    const next = this.#isSuspect ? Math.min(circuit.firstMs, checkMs) : checkMs;
    const waitMs = this.circuit.state === 'open' ? this.circuit.waitMs : next;
    this.#timer = setTimeout(() => void this.check(), waitMs).unref();
  }

  async #check(): Promise<void> {
    const inFlight = this.inFlight;
    const wasAway = this.circuit.state === 'open';
    try {
      await this.#ask('/health');
      // At first, several connections at the same time show whether they reach the same process.
      const looks = await Promise.all(Array.from({ length: wasAway ? looksAtOnce : 1 }, () => this.#metrics()));
      const starts = looks.map((metrics) => metrics?.startedAt ?? null);
      const isNew = this.#processes.see(starts, wasAway);
      await this.#readFacts(looks.at(-1) ?? null, isNew);
      this.#inFlightAtCheck = inFlight;
      if (isNew) this.#startAnew();
      this.#isSuspect = false;
      this.#change(() => this.circuit.checkPassed());
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const reason = error instanceof ServerLost || error instanceof ServerRefusal ? error.reason : String(error);
      const isDown = !(error instanceof ServerLost) || error.how === 'down';
      this.#isSuspect = true;
      this.#change(() => this.circuit.checkFailed(reason, isDown), true);
    }
  }

  /** @returns null if it has none */
  async #metrics(): Promise<ServerMetrics | null> {
    try {
      return readMetrics(await this.#ask('/metrics', true));
    } catch (error) {
      if (error instanceof ServerLost) throw error;
      return null;
    }
  }

  /** Another process has no adapters, and may have other settings. */
  #startAnew(): void {
    this.adapters.forget();
    this.#probed.clear();
    this.loadsAdapters = null;
    for (const { id } of this.facts?.models ?? []) this.capabilities(id).catch(() => {});
    this.#events.onNewProcess();
  }

  async #readFacts(metrics: ServerMetrics | null, isNew: boolean): Promise<void> {
    const { data } = await this.#http.askFor(this.address, this.#asking('/v1/models'), modelList);
    const version = isNew || this.facts === null ? await this.#version() : this.facts.version;
    const before = JSON.stringify([this.facts?.models, this.facts?.adapters]);
    const models = data.filter(({ parent }) => parent === undefined || parent === null);
    const adapters = data.filter((each) => !models.includes(each));
    this.facts = { version, models, adapters, metrics };
    if (JSON.stringify([models, adapters]) !== before) this.#events.onModels();
  }

  async #version(): Promise<string | null> {
    try {
      return (await this.#http.askFor(this.address, this.#asking('/version'), versionAnswer)).version;
    } catch {
      return null; // a proxy may not pass it on
    }
  }

  #ask(path: string, isFresh = false) {
    return this.#http.ask(this.address, { ...this.#asking(path), isFresh });
  }

  #asking(path: string) {
    return { path, timeoutMs: this.#options.answerMsMax, signal: this.#closing.signal };
  }

  /** @param leaves whether requests that wait there go elsewhere if the circuit opens */
  #change(change: () => void, leaves = false): void {
    const before = this.circuit.state;
    change();
    const after = this.circuit.state;
    if (after === 'open' && leaves) this.#lost.abort(new ServerLost(this.address, this.circuit.reason ?? 'is lost'));
    if (before === after) return;
    if (before === 'open') this.#lost = new AbortController();
    this.#events.onCircuit(before);
  }
}

const looksAtOnce = 8;
