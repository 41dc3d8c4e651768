import { expect, test } from 'vitest';
import type { LaneLimits } from './lane-rules.ts';
import { openLanes } from './lanes.ts';
import type { StartedRead } from './reads.ts';

const limits: LaneLimits = {
  ...{ quickMax: 2, quickPerGroupMax: 2, longMax: 2, heavyMax: 1, longPerGroupMax: 1, trialMs: 20 },
  ...{ waitingPerGroupMax: 3, waitMsMax: 60_000 },
};
const stopped = new Error('stopped');

/** A read that runs until it is finished by hand. */
function openRead(group: string, bytes = 10) {
  const abort = new AbortController();
  const read = {
    ...{ group, bytes, signal: abort.signal, starts: 0, stops: 0, isRunning: false },
    finish: (_value: string) => {},
    start(): StartedRead<string> {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      read.starts++;
      read.isRunning = true;
      const end = (how: () => void) => {
        read.isRunning = false;
        how();
      };
      read.finish = (value) => end(() => resolve(value));
      const stop = () => {
        read.stops++;
        end(() => reject(stopped));
      };
      const startedAt = performance.now();
      return { ended: promise, stop, usedMs: async () => performance.now() - startedAt };
    },
  };
  return { read, abort };
}

const open = (changes: Partial<LaneLimits> = {}) => openLanes({ ...limits, ...changes }, (error) => error === stopped);
const until = (holds: () => boolean) => expect.poll(holds, { interval: 2, timeout: 10_000 }).toBe(true);

test('a quick read is answered while long ones of others hold every other place, and they are answered later', async () => {
  const lanes = open();
  const heavy = ['a', 'b', 'c', 'd'].map((group) => openRead(group).read);
  const answers = heavy.map((read) => lanes.run(read));
  await until(() => heavy.every(({ starts }) => starts > 0)); // each had its trial
  for (let i = 0; i < 5; i++) {
    const { read } = openRead('quiet');
    const answer = lanes.run(read);
    await until(() => read.isRunning);
    read.finish('quick');
    expect(await answer).toBe('quick');
  }
  while (heavy.some(({ isRunning }) => isRunning)) {
    for (const read of heavy) if (read.isRunning) read.finish(`of ${read.group}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await Promise.all(answers)).toEqual(['of a', 'of b', 'of c', 'of d']);
});

test('the first reads of a group leave places to others', async () => {
  const lanes = open({ quickMax: 4, quickPerGroupMax: 2, trialMs: 60_000 });
  const unknown = Array.from({ length: 5 }, () => openRead('unknown').read);
  const answers = unknown.map((read) => lanes.run(read));
  const other = openRead('other').read;
  answers.push(lanes.run(other));
  expect(unknown.map(({ isRunning }) => isRunning)).toEqual([true, true, false, false, false]);
  expect(other.isRunning).toBe(true);
  for (const read of [...unknown, other]) {
    await until(() => read.isRunning);
    read.finish('done');
  }
  expect(await Promise.all(answers)).toEqual(answers.map(() => 'done'));
});

test('a group is heavy as soon as one of its reads is overdue, not when it ends', async () => {
  const lanes = open({ quickMax: 5, quickPerGroupMax: 3, longMax: 1, trialMs: 200 });
  const [known, active] = [openRead('quiet').read, openRead('quiet').read];
  const answer = lanes.run(known);
  known.finish('done'); // at once: its group is known to be quick
  await answer;
  const heavy = Array.from({ length: 3 }, () => openRead('heavy').read);
  const answers = [active, ...heavy].map((read) => lanes.run(read));
  await until(() => heavy.some(({ stops }) => stops > 0)); // they use more places than heavy groups may
  for (const read of [active, ...heavy]) {
    await until(() => read.isRunning);
    read.finish('done');
  }
  expect(await Promise.all(answers)).toEqual(answers.map(() => 'done'));
});

test('a read that is overdue runs on while nobody else needs its place', async () => {
  const lanes = open();
  const reads = ['a', 'a', 'a'].map((group) => openRead(group).read);
  const answers = reads.map((read) => lanes.run(read));
  await until(() => reads.every(({ starts }) => starts > 0));
  await new Promise((resolve) => setTimeout(resolve, 5 * limits.trialMs));
  expect(reads.map(({ stops }) => stops)).toEqual([0, 0, 0]);
  for (const read of reads) read.finish('done');
  expect(await Promise.all(answers)).toEqual(['done', 'done', 'done']);
});

test('the group goes first whose reads usually take the shortest', async () => {
  const lanes = open({ quickMax: 1, trialMs: 60_000 });
  const run = async (group: string, ms: number) => {
    const { read } = openRead(group);
    const answer = lanes.run(read);
    await until(() => read.isRunning);
    await new Promise((resolve) => setTimeout(resolve, ms));
    read.finish('done');
    await answer;
  };
  await run('slow', 100);
  await run('quick', 1);
  const [first, slow, quick] = ['slow', 'slow', 'quick'].map((group) => openRead(group).read);
  const answers = [first!, slow!, quick!].map((read) => lanes.run(read));
  await until(() => first!.isRunning);
  first!.finish('done');
  await until(() => quick!.isRunning);
  expect(slow!.starts).toBe(0);
  quick!.finish('done');
  await until(() => slow!.isRunning);
  slow!.finish('done');
  await Promise.all(answers);
});

test('one group never holds all places for long reads', async () => {
  const lanes = open({ longMax: 3, longPerGroupMax: 2 });
  const own = Array.from({ length: 4 }, () => openRead('a').read);
  const others = ['b', 'c'].map((group) => openRead(group).read);
  const answers = [...own, ...others].map((read) => lanes.run(read).catch(String));
  await until(() => others.every(({ isRunning }) => isRunning));
  await until(() => own.filter(({ isRunning }) => isRunning).length <= 3);
  for (let isDone = false; !isDone; ) {
    for (const read of [...own, ...others]) if (read.isRunning) read.finish('done');
    await new Promise((resolve) => setTimeout(resolve, 5));
    isDone = [...own, ...others].every(({ isRunning }) => !isRunning);
  }
  expect(await Promise.all(answers)).toEqual(Array(6).fill('done'));
});

test('a client that hangs up ends its read, whether it runs or waits, and frees the place', async () => {
  const lanes = open({ quickMax: 1, longMax: 1, trialMs: 60_000 });
  const [running, waiting, last] = [openRead('a'), openRead('b'), openRead('c')];
  const answers = [running, waiting, last].map(({ read }) => lanes.run(read));
  waiting.abort.abort();
  await expect(answers[1]).rejects.toMatchObject({ kind: 'canceled' });
  running.abort.abort();
  await expect(answers[0]).rejects.toMatchObject({ kind: 'canceled' });
  expect([running.read.stops, waiting.read.starts]).toEqual([1, 0]);
  await until(() => last.read.isRunning);
  last.read.finish('done');
  expect(await answers[2]).toBe('done');
});

test('a read of a client that has hung up already never starts', async () => {
  const { read, abort } = openRead('a');
  abort.abort();
  await expect(open().run(read)).rejects.toMatchObject({ kind: 'canceled' });
  expect(read.starts).toBe(0);
});

test('refuses more waiting reads of one group than the limit, and takes those of another', async () => {
  const lanes = open({ quickMax: 1, trialMs: 60_000 });
  const reads = Array.from({ length: 4 }, () => openRead('a').read);
  const answers = reads.map((read) => lanes.run(read));
  const refused = lanes.run(openRead('a').read);
  await expect(refused).rejects.toMatchObject({
    kind: 'busy',
    message: expect.stringMatching(/3 reads of this project wait already \(HEDDLE_QUERY_WAITING_MAX\)/),
  });
  const other = openRead('b').read;
  answers.push(lanes.run(other));
  for (let i = 0; i < answers.length; i++) {
    await until(() => [...reads, other].some(({ isRunning }) => isRunning));
    [...reads, other].find(({ isRunning }) => isRunning)!.finish('done');
  }
  expect(await Promise.all(answers)).toHaveLength(5);
});

test('refuses to keep more in memory than reads that wait may hold', async () => {
  const lanes = open({ quickMax: 1, trialMs: 60_000 });
  const [first, second] = [openRead('a'), openRead('b')];
  const answers = [lanes.run(first.read), lanes.run(second.read)];
  await expect(lanes.run(openRead('c', 2 ** 30).read)).rejects.toMatchObject({ kind: 'busy' });
  for (const { read } of [first, second]) {
    await until(() => read.isRunning);
    read.finish('done');
  }
  expect(await Promise.all(answers)).toEqual(['done', 'done']);
});

test('a read that has waited too long is refused with the limit', async () => {
  const lanes = open({ quickMax: 1, trialMs: 60_000, waitMsMax: 20 });
  const { read } = openRead('a');
  const answer = lanes.run(read);
  await expect(lanes.run(openRead('b').read)).rejects.toMatchObject({
    kind: 'busy',
    message: expect.stringMatching(/waited for 20 ms \(HEDDLE_QUERY_WAIT_MAX_MS\)/),
  });
  read.finish('done');
  expect(await answer).toBe('done');
});

test('an error of the engine is the answer', async () => {
  const lanes = open();
  const failing = {
    group: 'a',
    bytes: 1,
    signal: null,
    start: () => ({ ended: Promise.reject(new Error('broken')), stop() {}, usedMs: async () => 0 }),
  };
  await expect(lanes.run(failing)).rejects.toThrow('broken');
});
