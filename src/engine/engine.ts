import type { PoolOptions } from '../util/workers/process-pool.ts';
import type { GrammarSession } from './grammars/grammar-session.ts';
import { Grammars } from './grammars/grammars.ts';
import { openModel } from './runtime/open-model.ts';
import type { LoadedModel, OpenOptions } from './runtime/types.ts';
import { BeamGeneration } from './scheduling/beam-generation.ts';
import type { Sink } from './scheduling/generation.ts';
import type { GenerationRequest, Tenant } from './scheduling/generation-request.ts';
import { PromptCache } from './scheduling/prompt-cache.ts';
import { SampledGeneration } from './scheduling/sampled-generation.ts';
import { Scheduler } from './scheduling/scheduler.ts';
import type { Sequence } from './scheduling/sequence.ts';

export type EngineOptions = {
  /** Sequences that are stepped together. */
  runningMax: number;
  /** Requests that may wait for their turn. */
  waitingMax: number;
  /** The processes that try grammars. */
  trials: PoolOptions;
};

export type RunningGeneration = { cancel(): void };

/** One model that generates tokens for many requests at once. It knows token ids, not messages. */
export class Engine {
  readonly contextMax: number;
  readonly vocabSize: number;
  readonly #model: LoadedModel;
  readonly #prompts: PromptCache;
  readonly #scheduler: Scheduler;
  readonly #grammars: Grammars;

  constructor(model: LoadedModel, { runningMax, waitingMax, trials }: EngineOptions) {
    this.#model = model;
    this.contextMax = model.contextMax;
    this.vocabSize = model.vocabSize;
    this.#grammars = new Grammars(trials);
    this.#prompts = new PromptCache(model);
    this.#scheduler = new Scheduler(model, this.#prompts, { runningMax, waitingMax });
  }

  /** Loads the weights on their own thread. @throws UnsupportedModelError, ModelTooLargeError, or what is wrong with the files */
  static async open(path: string, load: OpenOptions, options: EngineOptions): Promise<Engine> {
    return new Engine(await openModel(path, load), options);
  }

  /** @throws Overloaded if too many requests wait already */
  checkRoom(tenant: Tenant): void {
    this.#scheduler.checkRoom(tenant);
  }

  /**
   * Compiles the grammars of a request.
   * @returns a function that starts the generation
   * @throws ConstraintRefused, Overloaded
   */
  async prepare(request: GenerationRequest, signal: AbortSignal): Promise<(sink: Sink) => RunningGeneration> {
    const grammars = await this.#openGrammars(request, signal);
    return (sink) => this.#start(request, grammars, sink);
  }

  /** Changes how much memory all sequences may take together. @returns the new limit: at least what they take now */
  limitCache(bytesMax: number): Promise<number> {
    return this.#model.limitCache(bytesMax);
  }

  /** Forgets the prompts kept for later requests. */
  forgetPrompts(): void {
    this.#prompts.clear();
  }

  async close(): Promise<void> {
    await this.#grammars.close();
    await this.#model.close();
  }

  #start(request: GenerationRequest, grammars: GrammarSession[], sink: Sink): RunningGeneration {
    const scheduler = this.#scheduler;
    const { decoding } = request;
    const options = {
      vocabSize: this.vocabSize,
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

  /** A grammar for each sequence, compiled before anything is generated. */
  async #openGrammars(
    { constraint: held, decoding, tenant }: GenerationRequest,
    signal: AbortSignal,
  ): Promise<GrammarSession[]> {
    if (!held || decoding.kind === 'beams') return [];
    const { constraint, vocabulary } = held;
    await this.#grammars.check(vocabulary, constraint, { tenant, signal });
    const opened = await Promise.allSettled(decoding.seeds.map(() => this.#grammars.open(vocabulary, constraint)));
    const failed = opened.find((each) => each.status === 'rejected');
    if (!failed) return opened.map((each) => (each as PromiseFulfilledResult<GrammarSession>).value);
    for (const each of opened) if (each.status === 'fulfilled') each.value.close();
    throw failed.reason;
  }
}
