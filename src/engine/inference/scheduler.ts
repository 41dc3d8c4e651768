import type { LoadedModel, StepRequest } from '../runtime/types.ts';
import { computedLength, type Lane, laneLength, laneTokens, originOf, type Task } from './lane.ts';
import type { PromptCache } from './prompt-cache.ts';
import { Overloaded } from './types.ts';

/** Tokens of prompts that one step takes in, so that sequences under way wait only shortly for new ones. */
const prefillTokensMax = 512;

/** A lane's part in a step. */
type Part = { lane: Lane; request: StepRequest; isLast: boolean };

/**
 * Steps all requests of a model together: each step takes the next token of every sequence under way, and pieces of the
 * prompts of those that begin. Earlier ones go first, after their priority; where memory runs out, the last ones give
 * theirs back and are computed again when their turn comes.
 */
export class Scheduler {
  readonly #model: LoadedModel;
  readonly #cache: PromptCache;
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #onStep: () => void;
  /** In the order in which they are served. */
  readonly #tasks: Task[] = [];
  /** Lanes for which there was no memory, until some is given back. */
  readonly #stalled = new Set<Lane>();
  #isRunning = false;

  /** `onStep` is called after each step, when its events have been told. */
  constructor(
    model: LoadedModel,
    cache: PromptCache,
    limits: { runningMax: number; waitingMax: number },
    onStep: () => void,
  ) {
    this.#model = model;
    this.#cache = cache;
    this.#runningMax = limits.runningMax;
    this.#waitingMax = limits.waitingMax;
    this.#onStep = onStep;
  }

  /** @throws Overloaded where too many wait already */
  checkRoom(): void {
    const waiting = this.#tasks.length - this.#runningMax;
    if (waiting < this.#waitingMax) return;
    throw new Overloaded(`${waiting} requests are waiting for this model. Try again in a moment.`);
  }

  add(task: Task): void {
    const at = this.#tasks.findIndex((other) => comesBefore(task, other));
    this.#tasks.splice(at === -1 ? this.#tasks.length : at, 0, task);
    if (!this.#isRunning) void this.#run();
  }

  /** Takes a request out at once; no later step holds any of it. */
  remove(task: Task): void {
    const at = this.#tasks.indexOf(task);
    if (at !== -1) this.#tasks.splice(at, 1);
    for (const lane of task.lanes) this.release(lane);
    task.lanes = [];
  }

  /** Gives back what the engine holds of a lane, kept for later requests where it may serve them. */
  release(lane: Lane): void {
    this.#stalled.delete(lane);
    if (!lane.sequence) return;
    this.#cache.keep(lane);
    lane.sequence = null;
    this.#stalled.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#tasks.length > 0) await this.#step();
    } catch (error) {
      // The model itself has failed: none of these can go on.
      for (const task of this.#tasks.splice(0)) task.fail(error as Error);
    } finally {
      this.#isRunning = false;
      this.#onStep();
    }
  }

  async #step(): Promise<void> {
    const parts = await this.#parts();
    if (parts.length === 0) {
      this.#makeRoom(null);
      return new Promise((resolve) => setImmediate(resolve)); // requests may come and go meanwhile
    }
    const results = await this.#model.step(parts.map(({ request }) => request));
    let full: Lane | null = null;
    for (const [i, { lane, request, isLast }] of parts.entries()) {
      const result = results[i]!;
      if (lane.task.isDone) continue;
      if (result.kind === 'cacheFull') {
        this.#stalled.add(lane);
        full ??= lane;
        continue;
      }
      try {
        await lane.task.take(lane, result, request.tokens.length, isLast);
      } catch (error) {
        lane.task.fail(error as Error);
      }
      if (lane.task.isDone) this.remove(lane.task);
    }
    if (full && !full.task.isDone) this.#makeRoom(full);
    this.#onStep();
  }

  /** What the next step is made of: the first lanes in the order of service. */
  async #parts(): Promise<Part[]> {
    const parts: Part[] = [];
    let prefill = prefillTokensMax;
    for (const lane of this.#turns()) {
      if (!lane.sequence) await this.#open(lane);
      if (!lane.sequence || lane.task.isDone) continue;
      const computed = computedLength(lane);
      const open = laneLength(lane) - computed;
      const count = open === 1 ? 1 : Math.min(open, prefill, lane.task.chunkMax(lane));
      if (count === 0) continue;
      if (open > 1) prefill -= count;
      const tokens = laneTokens(lane, computed, count);
      const isLast = count === open;
      parts.push({
        lane,
        isLast,
        request: { sequence: lane.sequence, tokens, ...lane.task.wants(lane, count, isLast) },
      });
    }
    // While lanes were opened, requests may have been taken out.
    return parts.filter(({ lane }) => lane.sequence !== null && !lane.task.isDone);
  }

  #turns(): Lane[] {
    const turns: Lane[] = [];
    for (const task of this.#tasks) {
      for (const lane of task.lanes) {
        if (turns.length === this.#runningMax) return turns;
        // Of a beam search, some lanes have taken their step and wait for the others.
        const isOpen = computedLength(lane) < laneLength(lane);
        if (isOpen && !this.#stalled.has(lane)) turns.push(lane);
      }
    }
    return turns;
  }

  /** Begins with what is computed already: by another choice of the request, or by an earlier one. */
  async #open(lane: Lane): Promise<void> {
    const { task } = lane;
    const origin = originOf(lane);
    let sequence = origin ? await this.#model.fork(origin.lane.sequence!, origin.length) : null;
    if (!origin && !task.needsWholePrompt) {
      sequence = await this.#cache.take(lane);
      if (sequence && lane.output.length === 0) task.reuse(sequence.length);
    }
    sequence ??= this.#model.createSequence();
    if (task.isDone || lane.sequence || !task.lanes.includes(lane)) this.#model.release(sequence);
    else lane.sequence = sequence;
  }

  /** Frees memory for a lane, or for whichever comes next; a request for which there never will be enough fails. */
  #makeRoom(wanting: Lane | null): void {
    const lanes = this.#tasks.flatMap((task) => task.lanes);
    const holding = lanes.filter((lane) => computedLength(lane) > 0);
    if (this.#freeSome(holding, wanting)) this.#stalled.clear();
    else if (!wanting || holding.every((lane) => lane === wanting)) {
      const task = (wanting ?? lanes[0])?.task ?? this.#tasks[0];
      task?.fail(new Error('Memory does not hold this sequence.'));
      if (task) this.remove(task);
    }
  }

  /** Kept prompts first, then what the last in line holds. */
  #freeSome(holding: Lane[], wanting: Lane | null): boolean {
    if (this.#cache.forgetOldest()) return true;
    const last = holding.at(-1);
    if (!last || last === wanting || holding.length === 1) return false;
    this.#model.release(last.sequence!);
    last.sequence = null;
    return true;
  }
}

function comesBefore(task: Task, other: Task): boolean {
  return task.priority < other.priority || (task.priority === other.priority && task.arrival < other.arrival);
}
