import { describe, expect, test } from 'vitest';
import { Overloaded } from '../../util/overloaded.ts';
import type { AdapterId } from '../adapter-id.ts';
import type { CachedSequence, LoadedModel, StepRequest, StepResult } from '../runtime/types.ts';
import type { Generation } from './generation.ts';
import type { Tenant } from './generation-request.ts';
import { PromptCache } from './prompt-cache.ts';
import { Scheduler } from './scheduler.ts';
import { type Sequence, sequenceLength } from './sequence.ts';

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

  createSequence = (adapterId: AdapterId | null = null): CachedSequence => ({
    id: ++this.#lastId,
    length: 0,
    adapterId,
  });

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

  fork = async (from: CachedSequence, length: number): Promise<CachedSequence | null> => {
    if (this.tokensHeld + length > this.tokensMax) return null;
    const sequence = { id: ++this.#lastId, length, adapterId: from.adapterId };
    this.held.set(sequence.id, length);
    return from.length < length ? null : sequence;
  };

  release = ({ id }: CachedSequence): void => {
    this.held.delete(id);
  };
}

/** Grows one sequence to so many tokens. */
class CountingGeneration implements Generation {
  readonly cacheSalt = '';
  readonly needsWholePrompt = false;
  readonly keepsPrompt = true;
  readonly output: number[] = [];
  sequences: Sequence[];
  readonly priority: number;
  readonly adapterId: AdapterId | null;
  readonly tenant: Tenant;
  readonly arrival: number;
  readonly #length: number;
  failure: Error | null = null;
  reused = 0;
  isDone = false;
  readonly done = Promise.withResolvers<void>();

  constructor(
    prompt: number[],
    length: number,
    { priority = 0, arrival = 0, user = 'ann', project = 'p', adapterId = null as AdapterId | null } = {},
  ) {
    this.sequences = [{ generation: this, cached: null, prompt, output: this.output }];
    this.#length = length;
    this.priority = priority;
    this.adapterId = adapterId;
    this.arrival = arrival;
    this.tenant = [user, project];
  }

  chunkMax = () => Number.POSITIVE_INFINITY;
  wants = () => ({ wanted: 'last' as const });
  reuse(tokens: number): void {
    this.reused = tokens;
  }
  take(_sequence: Sequence, result: StepResult, _tokens: number, isLast: boolean): Promise<void> | void {
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
  return new Scheduler(loaded, new PromptCache(loaded), { runningMax, waitingMax });
}

const prompt = (length: number, first = 0) => Array.from({ length }, (_, i) => first + i);

describe('the scheduler', () => {
  test('steps all sequences together, and prompts in pieces', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const long = new CountingGeneration(prompt(1_200), 3);
    const short = new CountingGeneration(prompt(5, 5_000), 6, { arrival: 1 });
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

  test('serves lower priority values first, then in the order of arrival', async () => {
    const scheduler = schedulerOf(new CountingModel(), { runningMax: 1 });
    const order: number[] = [];
    const generations = [5, 1, 1].map(
      (priority, arrival) => new CountingGeneration([arrival], 3, { priority, arrival }),
    );
    for (const generation of generations) {
      scheduler.add(generation);
      void generation.done.promise.then(() => order.push(generation.arrival));
    }
    await Promise.all(generations.map(({ done }) => done.promise));
    expect(order).toEqual([1, 2, 0]);
  });

  test('users take turns among equal priorities, and so do the projects of a user', async () => {
    const scheduler = schedulerOf(new CountingModel(), { runningMax: 1 });
    const order: string[] = [];
    const add = (name: string, user: string, project: string, priority = 0) => {
      const generation = new CountingGeneration([1], 3, { user, project, priority });
      scheduler.add(generation);
      return generation.done.promise.then(() => order.push(name));
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
    for (const arrival of [0, 1, 2, 3, 4]) scheduler.add(new CountingGeneration([1], 1_000, { user: 'eve', arrival }));
    expect(() => scheduler.checkRoom(['eve', 'p'])).toThrow(/at most 4 may/);
    expect(() => scheduler.checkRoom(['bob', 'p'])).not.toThrow();
  });

  test('a sequence that waits for its grammar does not delay the others', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const ready = Promise.withResolvers<void>();
    const slow = new CountingGeneration([1], 3);
    const take = slow.take.bind(slow);
    slow.take = (...step: Parameters<typeof take>) =>
      slow.output.length === 1 ? ready.promise.then(() => take(...step)) : take(...step);
    const other = new CountingGeneration([100], 50);
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
    const failing = new CountingGeneration([1], 3);
    failing.take = () => Promise.reject(new Error('too slow'));
    const other = new CountingGeneration([100], 5);
    scheduler.add(failing);
    scheduler.add(other);
    await Promise.all([failing.done.promise, other.done.promise]);
    expect([failing.failure?.message, other.failure]).toEqual(['too slow', null]);
    expect(other.output).toHaveLength(5);
  });

  test('computes sequences again that it released when memory ran out', async () => {
    const model = new CountingModel(100);
    const scheduler = schedulerOf(model);
    const generations = [0, 1, 2].map(
      (arrival) => new CountingGeneration(prompt(30, arrival * 1_000), 40, { arrival }),
    );
    for (const generation of generations) scheduler.add(generation);
    await Promise.all(generations.map(({ done }) => done.promise));
    for (const generation of generations) {
      expect(generation.failure).toBeNull();
      expect(generation.output).toEqual(prompt(40, generation.arrival * 1_000 + 30));
    }
  });

  test('fails a sequence that will never fit into memory, and no other', async () => {
    const scheduler = schedulerOf(new CountingModel(50));
    const large = new CountingGeneration(prompt(60), 3);
    const small = new CountingGeneration(prompt(10), 3, { arrival: 1 });
    scheduler.add(large);
    scheduler.add(small);
    await Promise.all([large.done.promise, small.done.promise]);
    expect(large.failure?.message).toContain('Memory');
    expect(small.failure).toBeNull();
  });

  test('continues from the prompt of an earlier request', async () => {
    const scheduler = schedulerOf(new CountingModel());
    const first = new CountingGeneration(prompt(100), 5);
    scheduler.add(first);
    await first.done.promise;
    const next = new CountingGeneration([...prompt(100), 100, 101, 7], 2, { arrival: 1 });
    scheduler.add(next);
    await next.done.promise;
    expect(next.reused).toBe(102);
    expect(next.output).toEqual([8, 9]);
  });

  test('shares no keys and values between adapters, nor between an adapter and its base model', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const reusedBy = async (adapterId: AdapterId | null) => {
      const generation = new CountingGeneration(prompt(100), 2, { adapterId });
      scheduler.add(generation);
      await generation.done.promise;
      return generation.reused;
    };
    const [one, other] = ['one', 'other'] as AdapterId[];
    expect([await reusedBy(null), await reusedBy(one!), await reusedBy(other!)]).toEqual([0, 0, 0]);
    expect([await reusedBy(one!), await reusedBy(other!), await reusedBy(null)]).toEqual([99, 99, 99]);
    const adapters = model.steps.flat().map(({ sequence }) => sequence.adapterId);
    expect(new Set(adapters)).toEqual(new Set([null, one, other]));
  });

  test('removes a request at once', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const generation = new CountingGeneration([1], 1_000);
    scheduler.add(generation);
    const [sequence] = generation.sequences;
    while (generation.output.length < 3) await new Promise((resolve) => setImmediate(resolve));
    scheduler.remove(generation);
    const { length } = model.steps;
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(model.steps.length).toBeLessThanOrEqual(length + 1);
    expect([generation.sequences, sequence!.cached, sequenceLength(sequence!) > 3]).toEqual([[], null, true]);
  });

  test('reports when too many requests wait [chat 171]', () => {
    const scheduler = schedulerOf(new CountingModel(), { runningMax: 1, waitingMax: 2 });
    for (const arrival of [0, 1, 2]) scheduler.add(new CountingGeneration([arrival], 1_000, { arrival }));
    expect(() => scheduler.checkRoom(['ann', 'p'])).toThrow(Overloaded);
  });
});
