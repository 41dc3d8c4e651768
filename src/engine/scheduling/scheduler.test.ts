import { describe, expect, test } from 'vitest';
import type { LoadedModel, Sequence, StepRequest, StepResult } from '../runtime/types.ts';
import { type Lane, laneLength, type Task } from './sequence.ts';
import { PromptCache } from './prompt-cache.ts';
import { Scheduler } from './scheduler.ts';
import { Overloaded, type Tenant } from '../../chat/types.ts';

/** A model that always says the next number, and whose memory holds so many tokens. */
class CountingModel {
  readonly steps: StepRequest[][] = [];
  readonly held = new Map<number, number>();
  readonly tokensMax: number;
  #lastId = 0;

  constructor(tokensMax = Number.POSITIVE_INFINITY) {
    this.tokensMax = tokensMax;
  }

  get tokensHeld(): number {
    return [...this.held.values()].reduce((sum, each) => sum + each, 0);
  }

  createSequence = (): Sequence => ({ id: ++this.#lastId, length: 0 });

  step = async (requests: StepRequest[]): Promise<StepResult[]> => {
    this.steps.push(requests.map((request) => ({ ...request, sequence: { ...request.sequence } })));
    await Promise.resolve();
    return requests.map(({ sequence, tokens }) => {
      if (this.tokensHeld + tokens.length > this.tokensMax) return { kind: 'cacheFull' };
      this.held.set(sequence.id, sequence.length + tokens.length);
      (sequence as { length: number }).length += tokens.length;
      return { kind: 'logits', logits: Float32Array.of(tokens.at(-1)! + 1) };
    });
  };

  fork = async (from: Sequence, length: number): Promise<Sequence | null> => {
    if (this.tokensHeld + length > this.tokensMax) return null;
    const sequence = { id: ++this.#lastId, length };
    this.held.set(sequence.id, length);
    return from.length < length ? null : sequence;
  };

  release = ({ id }: Sequence): void => {
    this.held.delete(id);
  };
}

/** Grows one lane to so many tokens. */
class CountingTask implements Task {
  readonly cacheSalt = '';
  readonly needsWholePrompt = false;
  readonly output: number[] = [];
  readonly lanes: Lane[];
  readonly priority: number;
  readonly tenant: Tenant;
  readonly arrival: number;
  readonly #length: number;
  failure: Error | null = null;
  reused = 0;
  isDone = false;
  readonly done = Promise.withResolvers<void>();

  constructor(prompt: number[], length: number, { priority = 0, arrival = 0, user = 'ann', project = 'p' } = {}) {
    this.lanes = [{ task: this, sequence: null, prompt, output: this.output }];
    this.#length = length;
    this.priority = priority;
    this.arrival = arrival;
    this.tenant = [user, project];
  }

  chunkMax = () => Number.POSITIVE_INFINITY;
  wants = () => ({ wanted: 'last' as const });
  reuse(tokens: number): void {
    this.reused = tokens;
  }
  take(_lane: Lane, result: StepResult, _tokens: number, isLast: boolean): Promise<void> | void {
    if (!isLast || result.kind !== 'logits') return;
    this.output.push(result.logits[0]!);
    if (this.output.length === this.#length) this.#end();
  }
  fail(error: Error): void {
    this.failure = error;
    this.#end();
  }
  #end(): void {
    this.isDone = true;
    this.done.resolve();
  }
}

function schedulerOf(model: CountingModel, { runningMax = 4, waitingMax = 10 } = {}) {
  const loaded = model as unknown as LoadedModel; // only what a scheduler calls
  return new Scheduler(loaded, new PromptCache(loaded), { runningMax, waitingMax }, () => {});
}

const prompt = (length: number, first = 0) => Array.from({ length }, (_, i) => first + i);

describe('the scheduler', () => {
  test('steps all sequences together, and prompts in pieces', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const long = new CountingTask(prompt(1_200), 3);
    const short = new CountingTask(prompt(5, 5_000), 6, { arrival: 1 });
    scheduler.add(long);
    scheduler.add(short);
    await Promise.all([long.done.promise, short.done.promise]);
    expect(long.output).toEqual([1_200, 1_201, 1_202]);
    expect(short.output[5]).toBe(5_010);
    expect(Math.max(...model.steps.flatMap((step) => step.map(({ tokens }) => tokens.length)))).toBeLessThanOrEqual(
      512,
    );
    expect(model.steps.some((step) => step.length === 2)).toBe(true);
  });

  test('serves lower priorities first, then in the order of arrival', async () => {
    const scheduler = schedulerOf(new CountingModel(), { runningMax: 1 });
    const order: number[] = [];
    const tasks = [5, 1, 1].map((priority, arrival) => new CountingTask([arrival], 3, { priority, arrival }));
    for (const task of tasks) {
      scheduler.add(task);
      void task.done.promise.then(() => order.push(task.arrival));
    }
    await Promise.all(tasks.map(({ done }) => done.promise));
    expect(order).toEqual([1, 2, 0]);
  });

  test('users take turns among equal priorities, and so do the projects of a user', async () => {
    const scheduler = schedulerOf(new CountingModel(), { runningMax: 1 });
    const order: string[] = [];
    const add = (name: string, user: string, project: string, priority = 0) => {
      const task = new CountingTask([1], 3, { user, project, priority });
      scheduler.add(task);
      return task.done.promise.then(() => order.push(name));
    };
    await Promise.all([
      ...[1, 2, 3].map((n) => add(`eve ${n}`, 'eve', 'a')),
      add('eve, other project', 'eve', 'b'),
      add('bob 1', 'bob', 'c'),
      add('bob 2', 'bob', 'c'),
      add('eve, urgent', 'eve', 'a', -1),
    ]);
    // The first begins at once, and the urgent one goes before it.
    expect(order).toEqual(['eve, urgent', 'eve 1', 'bob 1', 'eve 2', 'bob 2', 'eve, other project', 'eve 3']);
  });

  test('one user who fills the queue leaves room for others', () => {
    const scheduler = schedulerOf(new CountingModel(), { runningMax: 1, waitingMax: 4 });
    for (const arrival of [0, 1, 2, 3, 4]) scheduler.add(new CountingTask([1], 1_000, { user: 'eve', arrival }));
    expect(() => scheduler.checkRoom(['eve', 'p'])).toThrow(/at most 4 may/);
    expect(() => scheduler.checkRoom(['bob', 'p'])).not.toThrow();
  });

  test('a sequence whose next token waits for its grammar holds up no other', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const ready = Promise.withResolvers<void>();
    const slow = new CountingTask([1], 3);
    const take = slow.take.bind(slow);
    slow.take = (...step: Parameters<typeof take>) =>
      slow.output.length === 1 ? ready.promise.then(() => take(...step)) : take(...step);
    const other = new CountingTask([100], 50);
    scheduler.add(slow);
    scheduler.add(other);
    await other.done.promise;
    expect(slow.output).toEqual([2]);
    ready.resolve();
    await slow.done.promise;
    expect(slow.output).toEqual([2, 3, 4]);
    expect(other.output).toEqual(prompt(50, 101));
  });

  test('a sequence that fails while it waits for its grammar fails alone', async () => {
    const scheduler = schedulerOf(new CountingModel());
    const failing = new CountingTask([1], 3);
    failing.take = () => Promise.reject(new Error('too slow'));
    const other = new CountingTask([100], 5);
    scheduler.add(failing);
    scheduler.add(other);
    await Promise.all([failing.done.promise, other.done.promise]);
    expect([failing.failure?.message, other.failure]).toEqual(['too slow', null]);
    expect(other.output).toHaveLength(5);
  });

  test('computes again what it had to give up for want of memory', async () => {
    const model = new CountingModel(100);
    const scheduler = schedulerOf(model);
    const tasks = [0, 1, 2].map((arrival) => new CountingTask(prompt(30, arrival * 1_000), 40, { arrival }));
    for (const task of tasks) scheduler.add(task);
    await Promise.all(tasks.map(({ done }) => done.promise));
    for (const task of tasks) {
      expect(task.failure).toBeNull();
      expect(task.output).toEqual(prompt(40, task.arrival * 1_000 + 30));
    }
  });

  test('fails a sequence that memory will never hold, and no other', async () => {
    const scheduler = schedulerOf(new CountingModel(50));
    const large = new CountingTask(prompt(60), 3);
    const small = new CountingTask(prompt(10), 3, { arrival: 1 });
    scheduler.add(large);
    scheduler.add(small);
    await Promise.all([large.done.promise, small.done.promise]);
    expect(large.failure?.message).toContain('Memory');
    expect(small.failure).toBeNull();
  });

  test('begins where an earlier request ended', async () => {
    const scheduler = schedulerOf(new CountingModel());
    const first = new CountingTask(prompt(100), 5);
    scheduler.add(first);
    await first.done.promise;
    const next = new CountingTask([...prompt(100), 100, 101, 7], 2, { arrival: 1 });
    scheduler.add(next);
    await next.done.promise;
    expect(next.reused).toBe(102);
    expect(next.output).toEqual([8, 9]);
  });

  test('takes a request out at once', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const task = new CountingTask([1], 1_000);
    scheduler.add(task);
    const [lane] = task.lanes;
    while (task.output.length < 3) await new Promise((resolve) => setImmediate(resolve));
    scheduler.remove(task);
    const { length } = model.steps;
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(model.steps.length).toBeLessThanOrEqual(length + 1);
    expect([task.lanes, lane!.sequence, laneLength(lane!) > 3]).toEqual([[], null, true]);
  });

  test('171 tells when too many wait', () => {
    const scheduler = schedulerOf(new CountingModel(), { runningMax: 1, waitingMax: 2 });
    for (const arrival of [0, 1, 2]) scheduler.add(new CountingTask([arrival], 1_000, { arrival }));
    expect(() => scheduler.checkRoom(['ann', 'p'])).toThrow(Overloaded);
  });
});
