import { busy } from '../../util/failures.ts';
import { withinMs } from '../../util/within-ms.ts';
import type { CachedSequence, LoadedModel, StepRequest } from '../runtime/types.ts';
import { type ChunkRules, chunkLength } from './chunks.ts';
import type { Generation, StepPart } from './generation.ts';
import type { Tenant } from './generation-request.ts';
import type { PromptCache } from './prompt-cache.ts';
import { computedLength, originOf, type Sequence, sequenceLength, sequenceTokens } from './sequence.ts';
import { findStart } from './sequence-start.ts';
import { WaitingGenerations } from './waiting-generations.ts';

/** Prompt tokens per step, and per step in which other sequences decode, so that their tokens wait only briefly. */
const prefillTokensMax = 512;
const prefillTokensMaxBesideDecoding = 128;

/** How long the next step waits for sequences whose grammar is not ready, to keep them in the same step. */
const togetherMs = 20;

export type SchedulerOptions = { runningMax: number; waitingMax: number; rules: ChunkRules };

/** A sequence's part in a step. */
type Part = StepPart & { sequence: Sequence; request: StepRequest };

/**
 * Steps all requests of a model together: each step computes the next token of every running sequence, and chunks of
 * new prompts. Requests start by priority; at equal priority, users and their projects take turns. Requests that have
 * started come first. When memory runs out, the last ones release theirs and are recomputed when it is their turn.
 */
export class Scheduler {
  readonly #model: LoadedModel;
  readonly #cache: PromptCache;
  readonly #runningMax: number;
  readonly #rules: ChunkRules;
  readonly #waitingMax: number;
  /** Requests that have started, in the order in which they are served. */
  readonly #begun: Generation[] = [];
  readonly #waiting = new WaitingGenerations();
  /** Sequences that could not get memory, until some is released. */
  readonly #stalled = new Set<Sequence>();
  /** The first of these that has not even started, since the last step. */
  #unopened: Sequence | null = null;
  /** Sequences whose next token waits for something other than the model. */
  readonly #pending = new Set<Sequence>();
  /** The subset of these that was late before: no step waits for them. */
  readonly #late = new WeakSet<Sequence>();
  /** Sequences for whose guessed tokens there was no memory. */
  readonly #unguessed = new WeakSet<Sequence>();
  readonly #guesses = { guessed: 0, right: 0 };
  /** Incremented by everything that may change which sequences take part in a step. */
  #changes = 0;
  #onChange: () => void = () => {};
  #isRunning = false;

  constructor(model: LoadedModel, cache: PromptCache, { rules, ...limits }: SchedulerOptions) {
    this.#model = model;
    this.#rules = rules;
    this.#cache = cache;
    this.#runningMax = limits.runningMax;
    this.#waitingMax = limits.waitingMax;
  }

  /** @throws Failure if too many requests are waiting already */
  checkRoom([user]: Tenant): void {
    const begunSoon = Math.max(0, this.#runningMax - this.#begun.length);
    if (this.#waiting.hasRoomFor(user, this.#waitingMax + begunSoon)) return;
    throw busy(
      `${this.#waiting.size} requests are waiting for this model; at most ${this.#waitingMax} may (chatWaitingMax). ` +
        'Try again in a moment.',
    );
  }

  /** Requests that have started, and those that wait for their turn. */
  get load(): { running: number; waiting: number } {
    return { running: this.#begun.length, waiting: this.#waiting.size };
  }

  /** How many guessed tokens were computed, and how many of them were generated. */
  get guesses(): { guessed: number; right: number } {
    return { ...this.#guesses };
  }

  add(generation: Generation): void {
    this.#waiting.add(generation);
    if (!this.#isRunning) void this.#run();
    this.#wake();
  }

  /** Removes a request at once; it takes no part in later steps. */
  remove(generation: Generation): void {
    const at = this.#begun.indexOf(generation);
    if (at !== -1) this.#begun.splice(at, 1);
    else this.#waiting.delete(generation);
    for (const sequence of this.#pending) if (sequence.generation === generation) this.#pending.delete(sequence);
    for (const sequence of generation.sequences) this.release(sequence);
    generation.sequences = [];
    this.#wake();
  }

  /** Releases the keys and values of a sequence, or keeps them for later requests with the same prompt. */
  release(sequence: Sequence): void {
    this.#stalled.delete(sequence);
    if (!sequence.cached) return;
    if (sequence.generation.keepsPrompt) this.#cache.keep(sequence);
    else this.#model.release(sequence.cached);
    sequence.cached = null;
    this.#stalled.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#begun.length + this.#waiting.size > 0) await this.#step();
    } catch (error) {
      // The model itself failed: no request can continue.
      for (const generation of [...this.#begun.splice(0), ...this.#waiting.clear()]) generation.fail(error as Error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #step(): Promise<void> {
    const changes = this.#changes;
    this.#unopened = null;
    const parts = await this.#parts();
    if (parts.length === 0) {
      if (this.#pending.size > 0) return this.#changedSince(changes);
      await this.#makeRoom(this.#unopened);
      return new Promise((resolve) => setImmediate(resolve)); // lets requests arrive and leave
    }
    const results = await this.#model.step(parts.map(({ request }) => request));
    let full = this.#unopened as Sequence | null;
    const taking: Promise<void>[] = [];
    for (const [i, part] of parts.entries()) {
      const { sequence, guess } = part;
      const result = results[i]!;
      if (sequence.generation.isDone) continue;
      if (result.kind === 'cacheFull') {
        if (guess.length > 0) {
          this.#unguessed.add(sequence);
          continue;
        }
        this.#stalled.add(sequence);
        full ??= sequence;
        continue;
      }
      try {
        const taken = sequence.generation.take(sequence, result, part);
        if (taken) {
          const isLate = this.#late.has(sequence);
          const done = this.#taken(sequence, taken);
          if (!isLate) taking.push(done);
        }
        if (guess.length > 0) this.#dropWrongGuesses(sequence, guess.length);
      } catch (error) {
        sequence.generation.fail(error as Error);
      }
      if (sequence.generation.isDone) this.remove(sequence.generation);
    }
    if (full && !full.generation.isDone) await this.#makeRoom(full);
    if (taking.length > 0) await withinMs(togetherMs, Promise.all(taking), () => {});
  }

  /** Every token except the newest is computed; wrong guesses are not part of the sequence. */
  #dropWrongGuesses(sequence: Sequence, guessed: number): void {
    const computed = computedLength(sequence);
    const valid = sequenceLength(sequence) - 1;
    if (sequence.cached) this.#model.truncate(sequence.cached, valid);
    this.#guesses.guessed += guessed;
    this.#guesses.right += guessed - Math.max(0, computed - valid);
  }

  /** Keeps a sequence out of steps until it has processed its token; the others do not wait. */
  async #taken(sequence: Sequence, taken: Promise<void>): Promise<void> {
    const startedAt = performance.now();
    this.#pending.add(sequence);
    try {
      await taken;
    } catch (error) {
      sequence.generation.fail(error as Error);
    }
    this.#pending.delete(sequence);
    if (performance.now() - startedAt > togetherMs) this.#late.add(sequence);
    else this.#late.delete(sequence);
    if (sequence.generation.isDone) this.remove(sequence.generation);
    this.#wake();
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

  /** The next step: the first sequences in the order of service. */
  async #parts(): Promise<Part[]> {
    const turns = this.#turns();
    const parts: Part[] = [];
    let prefill = turns.some(isDecoding) ? prefillTokensMaxBesideDecoding : prefillTokensMax;
    for (const [turn, sequence] of turns.entries()) {
      if (!sequence.cached) await this.#open(sequence, turns.slice(0, turn));
      if (!sequence.cached || sequence.generation.isDone) continue;
      const computed = computedLength(sequence);
      const open = sequenceLength(sequence) - computed;
      const chunkMax = Math.min(prefill, sequence.generation.chunkMax(sequence));
      const count = chunkLength(sequence, chunkMax, this.#rules);
      if (count === 0) continue;
      if (count > 1) prefill -= count;
      const isLast = count === open;
      const guess = turns.length === 1 && isDecoding(sequence) ? this.#guess(sequence) : [];
      const tokens = Int32Array.of(...sequenceTokens(sequence, computed, count), ...guess);
      const request = { sequence: sequence.cached, tokens, ...sequence.generation.wants(sequence, count, isLast) };
      if (guess.length > 0) request.wanted = 'all';
      parts.push({ sequence, request, tokens: count, isLast, guess });
    }
    // Requests may have been removed while sequences were being opened.
    return parts.filter(({ sequence }) => sequence.cached !== null && !sequence.generation.isDone);
  }

  #guess(sequence: Sequence): readonly number[] {
    if (this.#rules.batchInvariant || this.#unguessed.has(sequence)) return [];
    const room = this.#model.contextMax - sequenceLength(sequence);
    return room > 0 ? sequence.generation.guess(sequence, room) : [];
  }

  /** The sequences whose turn it is. Starts waiting requests if there is room for more sequences. */
  #turns(): Sequence[] {
    const turns: Sequence[] = [];
    let stalled = 0;
    for (let at = 0; ; at++) {
      const generation = this.#generationAt(at, turns.length + stalled < this.#runningMax);
      if (!generation) return turns;
      for (const sequence of generation.sequences) {
        if (turns.length === this.#runningMax) return turns;
        // In a beam search, sequences that have taken their step wait for the others.
        const isOpen = computedLength(sequence) < sequenceLength(sequence) && !this.#pending.has(sequence);
        if (isOpen && this.#stalled.has(sequence)) stalled++;
        else if (isOpen) turns.push(sequence);
      }
    }
  }

  /** The request at this place in the order of service: one that has started, or a waiting one that starts now. */
  #generationAt(at: number, mayBegin: boolean): Generation | undefined {
    const begun = this.#begun[at];
    const { priority } = this.#waiting;
    if (!mayBegin || priority === undefined || (begun && begun.priority <= priority)) return begun;
    const generation = this.#waiting.next()!;
    this.#begun.splice(at, 0, generation);
    return generation;
  }

  /**
   * Starts from existing keys and values: of another sequence, or of an earlier request. Opens nothing while a sequence
   * `before` this one computes the same tokens, or if there is not enough memory.
   */
  async #open(sequence: Sequence, before: Sequence[]): Promise<void> {
    const { generation } = sequence;
    const cached = await this.#start(sequence, before);
    if (cached === null) return;
    if (generation.isDone || sequence.cached || !generation.sequences.includes(sequence)) this.#model.release(cached);
    else sequence.cached = cached;
  }

  async #start(sequence: Sequence, before: Sequence[]): Promise<CachedSequence | null> {
    const { generation } = sequence;
    const origin = originOf(sequence);
    if (origin) return this.#orStall(sequence, await this.#model.fork(origin.sequence.cached!, origin.length));
    if (generation.needsWholePrompt) return this.#model.createSequence(generation.adapterId);
    const keptLength = await this.#cache.keptLength(sequence);
    const others = { begun: this.#begunSequences(), before };
    const start = findStart(sequence, others, { keptLength, rules: this.#rules });
    if (start.kind === 'wait') return null;
    if (start.kind === 'nothing') return this.#model.createSequence(generation.adapterId);
    const cached = await (start.kind === 'fork'
      ? this.#model.fork(start.from.cached!, start.length)
      : this.#cache.resume(sequence, start.length));
    if (cached && sequence.output.length === 0) generation.reuse(cached.length);
    return this.#orStall(sequence, cached);
  }

  #orStall(sequence: Sequence, cached: CachedSequence | null): CachedSequence | null {
    if (cached !== null) return cached;
    this.#stalled.add(sequence);
    this.#unopened ??= sequence;
    return null;
  }

  /** Frees memory for a sequence, or for the next one; fails a request that will never fit. */
  async #makeRoom(wanting: Sequence | null): Promise<void> {
    const holding = this.#begunSequences().filter((sequence) => computedLength(sequence) > 0);
    if (await this.#freeSome(holding, wanting)) this.#stalled.clear();
    else if (!wanting || holding.every((sequence) => sequence === wanting)) {
      const generation = (wanting ?? this.#begunSequences()[0])?.generation ?? this.#begun[0];
      generation?.fail(new Error('Memory does not hold this sequence.'));
      if (generation) this.remove(generation);
    }
  }

  /** Takes memory from kept prompts first, then from the last sequence in line if it comes after this one. */
  async #freeSome(holding: Sequence[], wanting: Sequence | null): Promise<boolean> {
    if (await this.#cache.makeRoom(wanting ? sequenceLength(wanting) : 1)) return true;
    const line = this.#begunSequences();
    const last = holding.at(-1);
    if (!last?.cached || holding.length === 1) return false;
    if (wanting && line.indexOf(last) <= line.indexOf(wanting)) return false;
    this.#model.release(last.cached);
    last.cached = null;
    return true;
  }

  #begunSequences(): Sequence[] {
    return this.#begun.flatMap((generation) => generation.sequences);
  }
}

/** Its prompt is computed, and its next token is needed. */
function isDecoding(sequence: Sequence): boolean {
  return sequence.output.length > 0 && sequenceLength(sequence) - computedLength(sequence) === 1;
}
