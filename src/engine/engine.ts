import { Failure, invalidInput } from '../util/failures.ts';
import type { PoolOptions } from '../util/workers/process-pool.ts';
import type { AdapterId } from './adapter-id.ts';
import type { AdapterFiles, AdapterLimits } from './adapters/adapter-files.ts';
import { AdapterPool } from './adapters/pool/adapter-pool.ts';
import { SharedMemory } from './adapters/pool/shared-memory.ts';
import type { GrammarSession } from './grammars/grammar-session.ts';
import { Grammars } from './grammars/grammars.ts';
import { openModel } from './runtime/open-model.ts';
import type { LoadedModel, OpenOptions } from './runtime/types.ts';
import { BeamGeneration } from './scheduling/beam-generation.ts';
import { type DrawKind, drawKindOf } from './scheduling/draw-kind.ts';
import { EmbeddingGeneration, type EmbeddingRequest } from './scheduling/embedding-generation.ts';
import { type Sink, withEnd } from './scheduling/generation.ts';
import type { GenerationRequest, Tenant } from './scheduling/generation-request.ts';
import { PromptCache } from './scheduling/prompt-cache.ts';
import { SampledGeneration } from './scheduling/sampled-generation.ts';
import { Scheduler } from './scheduling/scheduler.ts';
import type { Sequence } from './scheduling/sequence.ts';

export type EngineOptions = {
  /** Maximum number of sequences in a step. */
  runningMax: number;
  /** Maximum number of waiting requests. */
  waitingMax: number;
  /** Whether results are bitwise independent of other requests, see `ChunkRules`. */
  batchInvariant: boolean;
  /** Maximum number of tokens to guess at a time, see `PromptLookup`. */
  guessMax: number;
  adapters: AdapterLimits;
  /** Limits of the processes that try grammars. */
  trials: PoolOptions;
};

export type EngineLoad = {
  running: number;
  waiting: number;
  cacheBytes: number;
  cacheBytesMax: number;
  guesses: { guessed: number; right: number };
};

export type RunningGeneration = { cancel(): void };

/** A model that generates tokens for many requests at the same time. It has no notion of messages. */
export class Engine {
  readonly contextMax: number;
  readonly vocabSize: number;
  /** How it computes, if not exactly; answers report it. */
  readonly fingerprint: string | null;
  readonly drawsOwnSeeds: boolean = false;
  readonly #model: LoadedModel;
  readonly #prompts: PromptCache;
  readonly #scheduler: Scheduler;
  readonly #grammars: Grammars;
  readonly #memory: SharedMemory;
  readonly #adapters: AdapterPool;
  readonly #guessMax: number;

  constructor(model: LoadedModel, options: EngineOptions) {
    const { runningMax, waitingMax, batchInvariant, guessMax, adapters: limits, trials } = options;
    const rules = { batchInvariant };
    this.#model = model;
    this.#guessMax = guessMax;
    this.contextMax = model.contextMax;
    this.vocabSize = model.vocabSize;
    this.fingerprint = model.isApproximate ? 'int8-activations' : null;
    this.#grammars = new Grammars(trials);
    this.#prompts = new PromptCache(model, rules);
    this.#scheduler = new Scheduler(model, this.#prompts, { runningMax, waitingMax, rules });
    this.#memory = new SharedMemory(model, () => this.#prompts.clear());
    const forgetPrompts = (id: AdapterId) => this.#prompts.forget(id);
    this.#adapters = new AdapterPool({ model, memory: this.#memory, limits, forgetPrompts });
  }

  /** Loads the weights in a separate thread. @throws UnsupportedModelError, ModelTooLargeError, or an error about the files */
  static async open(path: string, load: OpenOptions, options: EngineOptions): Promise<Engine> {
    const { batchInvariant } = options;
    return new Engine(await openModel(path, { ...load, batchInvariant }), options);
  }

  /** @throws Failure if too many requests are waiting */
  checkRoom(tenant: Tenant): void {
    this.#scheduler.checkRoom(tenant);
  }

  /** What answers report of how their tokens are drawn. */
  async drawKind(request: GenerationRequest): Promise<DrawKind> {
    return drawKindOf(request);
  }

  /**
   * Loads the adapter of a request, which then stays loaded, and compiles its grammars.
   * @returns a function that starts the generation; it must be called
   * @throws Failure
   */
  async prepare(request: GenerationRequest, signal: AbortSignal): Promise<(sink: Sink) => RunningGeneration> {
    const release = await this.#useAdapter(request, signal);
    try {
      const grammars = await this.#openGrammars(request, signal);
      return (sink) => this.#start(request, grammars, withEnd(sink, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Loads an adapter before its first request. @throws Failure */
  async loadAdapter(files: AdapterFiles): Promise<void> {
    const release = await this.#adapters.use(files);
    release();
  }

  /** Unloads the adapter after all requests that use it have ended. */
  unloadAdapter(id: AdapterId): Promise<void> {
    return this.#adapters.unload(id);
  }

  /**
   * Sets the limit of all sequences and adapters together, and unloads unused adapters.
   * @returns the new limit: at least what they use now
   */
  async limitMemory(bytesMax: number): Promise<number> {
    if (bytesMax < this.#memory.bytes) await this.#adapters.unloadUnused();
    return this.#memory.limit(bytesMax);
  }

  /**
   * Embeds a text as one vector, scaled to length 1 if the request asks for it.
   * @throws Failure
   */
  async embed(request: EmbeddingRequest, signal: AbortSignal): Promise<Float32Array> {
    this.checkRoom(request.tenant);
    const release = await this.#useAdapter(request, signal);
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const generation = new EmbeddingGeneration(request, { resolve, reject });
    const cancel = () => {
      generation.fail(new Error('The request was aborted.'));
      this.#scheduler.remove(generation);
    };
    signal.addEventListener('abort', cancel, { once: true });
    this.#scheduler.add(generation);
    if (signal.aborted) cancel();
    return promise.finally(() => {
      signal.removeEventListener('abort', cancel);
      release();
    });
  }

  /** Running and waiting requests, memory of their sequences, and guessed tokens. */
  async load(): Promise<EngineLoad> {
    const cacheBytes = await this.#model.cacheBytes();
    const { load, guesses } = this.#scheduler;
    return { ...load, cacheBytes, cacheBytesMax: this.#memory.cacheBytesMax, guesses };
  }

  /** Drops the prompts kept for later requests. */
  forgetPrompts(): Promise<void> {
    return this.#prompts.clear();
  }

  async close(): Promise<void> {
    await Promise.all([this.#grammars.close(), this.#adapters.close()]);
    await this.#model.close();
  }

  /** Loads the adapter of a request, and keeps it until the returned function is called. */
  async #useAdapter({ adapter }: Pick<GenerationRequest, 'adapter'>, signal: AbortSignal): Promise<() => void> {
    if (adapter === null) return () => {};
    return this.#adapters.use(adapter, signal).catch((error) => {
      if (!(error instanceof Failure) || error.kind !== 'invalidInput') throw error;
      throw invalidInput(`The adapter cannot be used. ${error.message}`, { param: 'model' });
    });
  }

  #start(request: GenerationRequest, grammars: GrammarSession[], sink: Sink): RunningGeneration {
    const scheduler = this.#scheduler;
    const { decoding } = request;
    const options = {
      vocabSize: this.vocabSize,
      guessMax: this.#guessMax,
      grammars,
      sink,
      release: (sequence: Sequence) => scheduler.release(sequence),
    };
    const generation =
      decoding.kind === 'beams'
        ? new BeamGeneration(request, decoding, options)
        : new SampledGeneration(request, decoding, options);
    scheduler.add(generation);
    return {
      cancel() {
        generation.fail(new Error('The generation was aborted.'));
        scheduler.remove(generation);
      },
    };
  }

  /** Compiles a grammar for each sequence before anything is generated. */
  async #openGrammars(
    { constraint: held, decoding, tenant }: GenerationRequest,
    signal: AbortSignal,
  ): Promise<GrammarSession[]> {
    if (!held || decoding.kind === 'beams') return [];
    const { constraint, vocabulary, field } = held;
    await this.#grammars.check(vocabulary, constraint, { tenant, signal, field });
    const opened = await Promise.allSettled(decoding.seeds.map(() => this.#grammars.open(vocabulary, constraint)));
    const failed = opened.find((each) => each.status === 'rejected');
    if (!failed) return opened.map((each) => (each as PromiseFulfilledResult<GrammarSession>).value);
    for (const each of opened) if (each.status === 'fulfilled') each.value.close();
    throw failed.reason;
  }
}
