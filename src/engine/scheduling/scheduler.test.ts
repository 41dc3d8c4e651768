import { describe, expect, test } from 'vitest';
import type { AdapterId } from '../adapter-id.ts';
import type { CachedSequence, KeptTokens, LoadedModel, StepRequest, StepResult } from '../runtime/types.ts';
import type { Generation, StepPart } from './generation.ts';
import type { Tenant } from './generation-request.ts';
import { PromptCache } from './prompt-cache.ts';
import { Scheduler } from './scheduler.ts';
import { newSequence, type Sequence, sequenceLength } from './sequence.ts';

/** A model that always generates the next number, with memory for a limited number of tokens. */
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

  keep = async (sequence: CachedSequence, _first: number, count: number): Promise<KeptTokens | null> => {
    expect(this.held.get(sequence.id)).toBeDefined();
    if (this.tokensHeld + count > this.tokensMax) return null;
    this.held.set(++this.#lastId, count);
    return { id: this.#lastId, length: count };
  };

  resume = async (parts: { kept: KeptTokens; count: number }[], adapterId: AdapterId | null) => {
    const length = parts.reduce((sum, { kept, count }) => sum + Math.min(count, this.held.get(kept.id)!), 0);
    if (this.tokensHeld + length > this.tokensMax) return null;
    const sequence = { id: ++this.#lastId, length, adapterId };
    this.held.set(sequence.id, length);
    return sequence;
  };

  splitKept = async ({ id, length }: KeptTokens, count: number): Promise<[KeptTokens, KeptTokens]> => {
    this.held.set(id, count);
    this.held.set(++this.#lastId, length - count);
    return [
      { id, length: count },
      { id: this.#lastId, length: length - count },
    ];
  };

  dropKept = ({ id }: KeptTokens): void => {
    expect(this.held.delete(id)).toBe(true);
  };

  release = ({ id }: CachedSequence): void => {
    this.held.delete(id);
  };
}

/** Generates one sequence of a given length. */
class CountingGeneration implements Generation {
  readonly cacheSalt: string;
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
    { priority = 0, arrival = 0, user = 'ann', project = 'p', adapterId = null as AdapterId | null, salt = '' } = {},
  ) {
    this.cacheSalt = salt;
    this.sequences = [newSequence(this, prompt, this.output)];
    this.#length = length;
    this.priority = priority;
    this.adapterId = adapterId;
    this.arrival = arrival;
    this.tenant = [user, project];
  }

  chunkMax = () => Number.POSITIVE_INFINITY;
  wants = () => ({ wanted: 'last' as const });
  guess = (): number[] => [];
  reuse(tokens: number): void {
    this.reused = tokens;
  }
  take(_sequence: Sequence, result: StepResult, { isLast }: StepPart): Promise<void> | void {
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

function schedulerOf(model: CountingModel, { runningMax = 4, waitingMax = 10, batchInvariant = false } = {}) {
  const loaded = model as unknown as LoadedModel; // only what a scheduler calls
  const rules = { batchInvariant };
  return new Scheduler(loaded, new PromptCache(loaded, rules), { runningMax, waitingMax, rules });
}

const prompt = (length: number, first = 0) => Array.from({ length }, (_, i) => first + i);

describe('the scheduler', () => {
  test('steps all sequences together, and prompts in chunks', async () => {
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
    // The first starts immediately, and the urgent one is served before it.
    expect(order).toEqual(['eve, urgent', 'eve 1', 'bob 1', 'eve 2', 'bob 2', 'eve, other project', 'eve 3']);
  });

  test('a user who fills the queue leaves room for others', () => {
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
    expect(large.failure?.message).toContain('not enough memory');
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

  test('does not share keys and values between adapters, or between an adapter and its base model', async () => {
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

  describe('requests that arrive together', () => {
    const salts = ['', 'a'];
    const asking = (count: number, more: (i: number) => object = () => ({})) =>
      Array.from(
        { length: count },
        (_, i) => new CountingGeneration([...prompt(1_000), 5_000 + i, 7_000 + 10 * i], 4, { arrival: i, ...more(i) }),
      );
    const computed = (model: CountingModel) => model.steps.flat().reduce((sum, { tokens }) => sum + tokens.length, 0);
    const run = async (scheduler: Scheduler, generations: CountingGeneration[]) => {
      for (const generation of generations) scheduler.add(generation);
      await Promise.all(generations.map(({ done }) => done.promise));
      for (const { output, arrival } of generations) expect(output).toEqual(prompt(4, 7_001 + 10 * arrival));
    };

    test('compute a common prefix once', async () => {
      const model = new CountingModel();
      const generations = asking(100);
      await run(schedulerOf(model, { waitingMax: 100 }), generations);
      expect(computed(model)).toBe(1_000 + 100 * (2 + 3));
      expect(generations.map(({ reused }) => reused)).toEqual([0, ...new Array(99).fill(1_000)]);
    });

    test('share nothing between different salts and adapters', async () => {
      const model = new CountingModel();
      const owners = [null, 'one' as AdapterId].flatMap((adapterId) => salts.map((salt) => ({ adapterId, salt })));
      await run(
        schedulerOf(model, { waitingMax: 100 }),
        asking(16, (i) => owners[i % owners.length]!),
      );
      expect(computed(model)).toBe(owners.length * 1_000 + 16 * (2 + 3));
    });

    test('compute it themselves if the request that was to compute it is removed before it starts', async () => {
      const model = new CountingModel();
      const scheduler = schedulerOf(model);
      const [first, ...others] = asking(3);
      scheduler.add(first!);
      const done = run(scheduler, others);
      scheduler.remove(first!);
      await done;
      expect(computed(model)).toBe(1_000 + 2 * (2 + 3));
    });

    test('continue from the computed part if the request that computes it is removed', async () => {
      const model = new CountingModel();
      const scheduler = schedulerOf(model);
      const [first, ...others] = asking(3);
      scheduler.add(first!);
      const done = run(scheduler, others);
      while (model.steps.length < 1) await new Promise((resolve) => setImmediate(resolve));
      scheduler.remove(first!);
      await done;
      expect(computed(model)).toBeLessThanOrEqual(1_000 + 3 * (2 + 3));
    });

    test('are all answered if memory is too small for all of them', async () => {
      const model = new CountingModel(2_500);
      const generations = asking(20);
      await run(schedulerOf(model, { waitingMax: 100 }), generations);
      expect(generations.map(({ failure }) => failure)).toEqual(new Array(20).fill(null));
      expect(computed(model)).toBeLessThan(2 * (1_000 + 20 * (2 + 3)));
    });
  });

  test('drops the least recently used prompts when memory is full, and shared tokens last', async () => {
    const scheduler = schedulerOf(new CountingModel(700));
    const reusedBy = async (...start: number[]) => {
      const generation = new CountingGeneration([...start, ...prompt(50, start[0]! + 100)], 2);
      scheduler.add(generation);
      await generation.done.promise;
      return generation.reused;
    };
    const shared = prompt(100, 1_000);
    const [old, used, later] = [prompt(50, 10_000), prompt(50, 20_000), prompt(100, 30_000)];
    for (const start of [shared, [...shared, 1], old, used]) await reusedBy(...start);
    expect([await reusedBy(...shared), await reusedBy(...used)]).toEqual([149, 99]);
    await reusedBy(...later);
    expect([await reusedBy(...shared), await reusedBy(...used), await reusedBy(...old)]).toEqual([149, 99, 0]);
  });

  test.each([31, 128, 129, 257, 1_025])(
    'never computes one token of a prompt of %d, if batch-invariant',
    async (length) => {
      const model = new CountingModel();
      const scheduler = schedulerOf(model, { batchInvariant: true });
      const asking = (arrival: number) =>
        new CountingGeneration([...prompt(length), ...prompt(arrival, 5_000), 9_000 + 100 * arrival], 4, { arrival });
      const generations = [0, 1, 2].map(asking);
      for (const generation of generations) scheduler.add(generation);
      await Promise.all(generations.map(({ done }) => done.promise));
      const again = asking(0);
      scheduler.add(again);
      await again.done.promise;
      expect(again.reused).toBe(length < 33 ? 0 : length - 1);
      const isGenerated = (token: number) => token > 9_000 && token % 100 !== 0;
      for (const { tokens } of model.steps.flat()) expect(tokens.length > 1).toBe(!isGenerated(tokens[0]!));
    },
  );

  test('long prompts leave every step a token for the sequences that decode', async () => {
    const model = new CountingModel();
    const scheduler = schedulerOf(model);
    const talking = new CountingGeneration([1], 50);
    const long = new CountingGeneration(prompt(1_000, 5_000), 1);
    const take = talking.take.bind(talking);
    talking.take = (...step: Parameters<typeof take>) => {
      if (talking.output.length === 2) scheduler.add(long);
      return take(...step);
    };
    scheduler.add(talking);
    await Promise.all([talking.done.promise, long.done.promise]);
    const ofLong = (step: StepRequest[]) => step.find(({ tokens }) => tokens[0]! >= 5_000)?.tokens.length ?? 0;
    expect(model.steps.map(ofLong).filter((tokens) => tokens > 0)).toEqual([...new Array(7).fill(128), 104]);
    expect(model.steps.filter((step) => ofLong(step) > 0 && step.length === 2)).toHaveLength(8);
  });

  test('removes a request immediately', async () => {
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
    expect(() => scheduler.checkRoom(['ann', 'p'])).toThrow(expect.objectContaining({ kind: 'busy' }));
  });
});
