import type { LoadedModel, StepRequest } from '../runtime/types.ts';
import { computedLength, type Lane, laneLength, laneTokens, originOf, type Task } from './sequence.ts';
import type { PromptCache } from './prompt-cache.ts';
import { Overloaded, type Tenant } from '../../chat/types.ts';
import { WaitingTasks } from './waiting-generations.ts';

/** Tokens of prompts that one step takes in, so that sequences under way wait only shortly for new ones. */
const prefillTokensMax = 512;

/** How long the next step waits for lanes whose grammar is not ready, so that they go on taking steps together. */
const togetherMs = 20;

/** A lane's part in a step. */
type Part = { lane: Lane; request: StepRequest; isLast: boolean };

/**
 * Steps all requests of a model together: each step takes the next token of every sequence under way, and pieces of the
 * prompts of those that begin. Requests begin by priority; among equals, users and their projects take turns. Those that
 * have begun go first. Where memory runs out, the last ones give theirs back and are computed again when their turn comes.
 */
export class Scheduler {
  readonly #model: LoadedModel;
  readonly #cache: PromptCache;
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #onStep: () => void;
  /** Requests that have begun, in the order in which they are served. */
  readonly #begun: Task[] = [];
  readonly #waiting = new WaitingTasks();
  /** Lanes for which there was no memory, until some is given back. */
  readonly #stalled = new Set<Lane>();
  /** Lanes whose next token waits for something other than the model. */
  readonly #pending = new Set<Lane>();
  /** Of these, the ones that were not ready in time before: no step waits for them. */
  readonly #late = new WeakSet<Lane>();
  /** Counts what may change who takes part in a step. */
  #changes = 0;
  #onChange: () => void = () => {};
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
  checkRoom([user]: Tenant): void {
    const begunSoon = Math.max(0, this.#runningMax - this.#begun.length);
    if (this.#waiting.hasRoomFor(user, this.#waitingMax + begunSoon)) return;
    throw new Overloaded(
      `${this.#waiting.size} requests are waiting for this model; at most ${this.#waitingMax} may (chatWaitingMax). ` +
        'Try again in a moment.',
    );
  }

  add(task: Task): void {
    this.#waiting.add(task);
    if (!this.#isRunning) void this.#run();
    this.#wake();
  }

  /** Takes a request out at once; no later step holds any of it. */
  remove(task: Task): void {
    const at = this.#begun.indexOf(task);
    if (at !== -1) this.#begun.splice(at, 1);
    else this.#waiting.delete(task);
    for (const lane of this.#pending) if (lane.task === task) this.#pending.delete(lane);
    for (const lane of task.lanes) this.release(lane);
    task.lanes = [];
    this.#wake();
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
      while (this.#begun.length + this.#waiting.size > 0) await this.#step();
    } catch (error) {
      // The model itself has failed: none of these can go on.
      for (const task of [...this.#begun.splice(0), ...this.#waiting.clear()]) task.fail(error as Error);
    } finally {
      this.#isRunning = false;
      this.#onStep();
    }
  }

  async #step(): Promise<void> {
    const changes = this.#changes;
    const parts = await this.#parts();
    if (parts.length === 0) {
      if (this.#pending.size > 0) return this.#changedSince(changes);
      this.#makeRoom(null);
      return new Promise((resolve) => setImmediate(resolve)); // requests may come and go meanwhile
    }
    const results = await this.#model.step(parts.map(({ request }) => request));
    let full: Lane | null = null;
    const taking: Promise<void>[] = [];
    for (const [i, { lane, request, isLast }] of parts.entries()) {
      const result = results[i]!;
      if (lane.task.isDone) continue;
      if (result.kind === 'cacheFull') {
        this.#stalled.add(lane);
        full ??= lane;
        continue;
      }
      try {
        const taken = lane.task.take(lane, result, request.tokens.length, isLast);
        if (taken) {
          const isLate = this.#late.has(lane);
          const done = this.#taken(lane, taken);
          if (!isLate) taking.push(done);
        }
      } catch (error) {
        lane.task.fail(error as Error);
      }
      if (lane.task.isDone) this.remove(lane.task);
    }
    if (full && !full.task.isDone) this.#makeRoom(full);
    this.#onStep();
    if (taking.length > 0) await atMost(togetherMs, Promise.all(taking));
  }

  /** Meanwhile the lane takes part in no step; the others need not wait for it. */
  async #taken(lane: Lane, taken: Promise<void>): Promise<void> {
    const startedAt = performance.now();
    this.#pending.add(lane);
    try {
      await taken;
    } catch (error) {
      lane.task.fail(error as Error);
    }
    this.#pending.delete(lane);
    if (performance.now() - startedAt > togetherMs) this.#late.add(lane);
    else this.#late.delete(lane);
    if (lane.task.isDone) this.remove(lane.task);
    this.#onStep();
    this.#wake();
  }

  /** Resolves when a lane may go on, or requests have come or gone. */
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

  /** Begins waiting requests where there is room for more lanes. */
  #turns(): Lane[] {
    const turns: Lane[] = [];
    let stalled = 0;
    for (let at = 0; ; at++) {
      const task = this.#taskAt(at, turns.length + stalled < this.#runningMax);
      if (!task) return turns;
      for (const lane of task.lanes) {
        if (turns.length === this.#runningMax) return turns;
        // Of a beam search, some lanes have taken their step and wait for the others.
        const isOpen = computedLength(lane) < laneLength(lane) && !this.#pending.has(lane);
        if (isOpen && this.#stalled.has(lane)) stalled++;
        else if (isOpen) turns.push(lane);
      }
    }
  }

  /** The request at this place in the order of service: one that has begun, or a waiting one that may begin here. */
  #taskAt(at: number, mayBegin: boolean): Task | undefined {
    const begun = this.#begun[at];
    const { priority } = this.#waiting;
    if (!mayBegin || priority === undefined || (begun && begun.priority <= priority)) return begun;
    const task = this.#waiting.next()!;
    this.#begun.splice(at, 0, task);
    return task;
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
    const lanes = this.#begun.flatMap((task) => task.lanes);
    const holding = lanes.filter((lane) => computedLength(lane) > 0);
    if (this.#freeSome(holding, wanting)) this.#stalled.clear();
    else if (!wanting || holding.every((lane) => lane === wanting)) {
      const task = (wanting ?? lanes[0])?.task ?? this.#begun[0];
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

/** Resolves with the promise, or earlier when the time is over. */
async function atMost(timeMs: number, promise: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeMs);
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
