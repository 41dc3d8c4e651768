import { withinMs } from '../../util/within-ms.ts';
import type { LoadedModel, StepResult } from '../runtime/types.ts';
import { Admission } from './admission.ts';
import type { ChunkRules } from './chunks.ts';
import { freeMemory } from './free-memory.ts';
import type { Generation } from './generation.ts';
import type { Tenant } from './generation-request.ts';
import { type PlannedPart, planStep, type StepPlan } from './plan-step.ts';
import type { PromptCache } from './prompt-cache.ts';
import { computedLength, type Sequence, sequenceLength } from './sequence.ts';

/** How long the next step waits for sequences that are settling, to keep them in the same step. */
const togetherMs = 20;

export type SchedulerOptions = { runningMax: number; waitingMax: number; rules: ChunkRules };

/**
 * Steps all requests of a model together: each step computes the next token of every running sequence, and chunks of
 * new prompts. Requests start by priority; at equal priority, users and their projects take turns. Requests that have
 * started come first. When memory runs out, the last ones release theirs and are recomputed when it is their turn.
 */
export class Scheduler {
  readonly #model: LoadedModel;
  readonly #cache: PromptCache;
  readonly #rules: ChunkRules;
  readonly #admission: Admission;
  /** How many sequences are settling. */
  #settling = 0;
  readonly #guesses = { guessed: 0, right: 0 };
  /** Incremented by everything that may change which sequences take part in a step. */
  #changes = 0;
  #onChange: () => void = () => {};
  #isRunning = false;

  constructor(model: LoadedModel, cache: PromptCache, { rules, ...limits }: SchedulerOptions) {
    this.#model = model;
    this.#cache = cache;
    this.#rules = rules;
    this.#admission = new Admission(limits);
  }

  /** @throws Failure if too many requests are waiting already */
  checkRoom(tenant: Tenant): void {
    this.#admission.checkRoom(tenant);
  }

  /** Requests that have started, and those that wait for their turn. */
  get load(): { running: number; waiting: number } {
    return this.#admission.load;
  }

  /** How many guessed tokens were computed, and how many of them were generated. */
  get guesses(): { guessed: number; right: number } {
    return { ...this.#guesses };
  }

  add(generation: Generation): void {
    this.#admission.add(generation);
    if (!this.#isRunning) void this.#run();
    this.#wake();
  }

  /** Removes a request at once; it takes no part in later steps. */
  remove(generation: Generation): void {
    this.#admission.remove(generation);
    for (const sequence of generation.sequences) {
      this.#endSettling(sequence);
      this.release(sequence);
    }
    generation.sequences = [];
    this.#wake();
  }

  /** Releases the keys and values of a sequence, or keeps them for later requests with the same prompt. */
  release(sequence: Sequence): void {
    if (sequence.state === 'stalled') sequence.state = 'ready';
    if (!sequence.cached) return;
    if (sequence.generation.keepsPrompt) this.#cache.keep(sequence);
    else this.#model.release(sequence.cached);
    sequence.cached = null;
    this.#admission.retryStalled();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (!this.#admission.isEmpty) await this.#step();
    } catch (error) {
      // The model itself failed: no request can continue.
      for (const generation of this.#admission.removeAll()) generation.fail(error as Error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #step(): Promise<void> {
    const changes = this.#changes;
    const turns = this.#admission.admit();
    const plan = await this.#plan(turns);
    if (plan.parts.length === 0) return this.#idle(plan, changes);
    const results = await this.#compute(plan);
    await this.#settle(plan, results);
  }

  #plan(turns: Sequence[]): Promise<StepPlan> {
    const deps = { model: this.#model, cache: this.#cache, admission: this.#admission, rules: this.#rules };
    return planStep(deps, turns);
  }

  #compute({ parts }: StepPlan): Promise<StepResult[]> {
    return this.#model.step(parts.map(({ request }) => request));
  }

  /** Passes each result to its request, and makes room for the first sequence that found no memory. */
  async #settle({ parts, unopened }: StepPlan, results: StepResult[]): Promise<void> {
    let wanting = unopened;
    const settling: Promise<void>[] = [];
    for (const [i, part] of parts.entries()) {
      const { sequence } = part;
      const result = results[i]!;
      if (sequence.generation.isDone) continue;
      if (result.kind !== 'cacheFull') {
        const settled = this.#take(part, result);
        if (settled && !sequence.isLate) settling.push(settled);
      } else if (part.guess.length > 0) sequence.mayGuess = false;
      else {
        sequence.state = 'stalled';
        wanting ??= sequence;
      }
    }
    if (wanting && !wanting.generation.isDone) await this.#makeRoom(wanting);
    if (settling.length > 0) await withinMs(togetherMs, Promise.all(settling), () => {});
  }

  /** @returns a promise if the request needs time to process the result */
  #take(part: PlannedPart, result: StepResult): Promise<void> | null {
    const { sequence, guess } = part;
    const { generation } = sequence;
    let settled: Promise<void> | null = null;
    try {
      const taken = generation.take(sequence, result, part);
      if (taken) settled = this.#untilSettled(sequence, taken);
      if (guess.length > 0) this.#dropWrongGuesses(sequence, guess.length);
    } catch (error) {
      generation.fail(error as Error);
    }
    if (generation.isDone) this.remove(generation);
    return settled;
  }

  /** Every token except the newest is computed; wrong guesses are not part of the sequence. */
  #dropWrongGuesses(sequence: Sequence, guessed: number): void {
    const computed = computedLength(sequence);
    const valid = sequenceLength(sequence) - 1;
    if (sequence.cached) this.#model.truncate(sequence.cached, valid);
    this.#guesses.guessed += guessed;
    this.#guesses.right += guessed - Math.max(0, computed - valid);
  }

  /** Keeps a sequence out of steps until its request has processed the result; the others do not wait. */
  async #untilSettled(sequence: Sequence, taken: Promise<void>): Promise<void> {
    const startedAt = performance.now();
    sequence.state = 'settling';
    this.#settling++;
    try {
      await taken;
    } catch (error) {
      sequence.generation.fail(error as Error);
    }
    this.#endSettling(sequence);
    sequence.isLate = performance.now() - startedAt > togetherMs;
    if (sequence.generation.isDone) this.remove(sequence.generation);
    this.#wake();
  }

  #endSettling(sequence: Sequence): void {
    if (sequence.state !== 'settling') return;
    sequence.state = 'ready';
    this.#settling--;
  }

  /** Nothing can be computed: waits for a sequence that is settling, or makes room for one that found no memory. */
  async #idle({ unopened }: StepPlan, changes: number): Promise<void> {
    if (this.#settling > 0) return this.#changedSince(changes);
    await this.#makeRoom(unopened);
    return new Promise((resolve) => setImmediate(resolve)); // lets requests arrive and leave
  }

  /** Frees memory for a sequence, or for the next one; fails a request that will never fit. */
  async #makeRoom(wanting: Sequence | null): Promise<void> {
    const admission = this.#admission;
    const holding = admission.sequences.filter((sequence) => computedLength(sequence) > 0);
    if (await freeMemory({ model: this.#model, cache: this.#cache, admission }, holding, wanting)) {
      return admission.retryStalled();
    }
    if (wanting && holding.some((sequence) => sequence !== wanting)) return; // the others free theirs when they end
    const generation = (wanting ?? admission.sequences[0])?.generation ?? admission.begun[0];
    generation?.fail(new Error('There is not enough memory for this sequence.'));
    if (generation) this.remove(generation);
  }

  /** Resolves when a sequence may continue, or requests have been added or removed. */
  #changedSince(changes: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#changes === changes) this.#onChange = resolve;
      else resolve();
    });
  }

  #wake(): void {
    this.#changes++;
    this.#onChange();
  }
}
