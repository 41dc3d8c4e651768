import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { CallWrite } from './call-write.ts';
import { type Commit, type Hold, openCommitQueues } from './commit-queues.ts';

/** Queues whose commits run until the test ends them. */
function openCommits(processes = 1) {
  const running: { ids: string[]; hold: Hold; end(): void }[] = [];
  const commit: Commit = (writes, hold) =>
    new Promise((resolve) => {
      const one = {
        ids: writes.map(({ id }) => id),
        hold,
        end() {
          running.splice(running.indexOf(one), 1);
          resolve(writes.map(() => 'stored'));
        },
      };
      running.push(one);
    });
  return {
    running,
    ids: () => running.map(({ ids }) => ids),
    queues: openCommitQueues(commit, { onEnd: () => {}, processes: () => processes }),
  };
}

function write(id: string, bytes = 100): CallWrite {
  const end = { output: 'x'.repeat(bytes), summary: '' };
  return { projectId: 'p', id, part: { kind: 'end', end } } as unknown as CallWrite;
}

const megabyte = 1024 * 1024;
const large = (...ids: string[]) => ids.map((id) => write(id, megabyte));

test('requests that arrive during a commit share the next one', async () => {
  const { running, ids, queues } = openCommits();
  const answers = ['a', 'b', 'c'].map((id) => queues.submit([write(id)]));
  expect(ids()).toEqual([['a']]);
  running[0]!.end();
  await answers[0];
  await setImmediate();
  expect(ids()).toEqual([['b', 'c']]);
  running[0]!.end();
  expect(await Promise.all(answers)).toEqual([['stored'], ['stored'], ['stored']]);
});

test.each([
  [1, [['d']]],
  [3, [['d', 'e']]],
])('after a commit of 200 writes, one of %i processes commits what came first: %j', async (processes, expected) => {
  const { running, ids, queues } = openCommits(processes);
  const many = (name: string) => Array.from({ length: 100 }, (_, i) => write(`${name}${i}`));
  const answers = [queues.submit([write('a')]), queues.submit(many('b')), queues.submit(many('c'))];
  running[0]!.end();
  await answers[0];
  await setImmediate();
  await setTimeout(50);
  running[0]!.end();
  await answers[2];
  answers.push(queues.submit([write('d')]));
  await setImmediate();
  answers.push(queues.submit([write('e')]));
  await expect.poll(ids).toEqual(expected);
  while (running.length > 0) {
    running[0]!.end();
    await setTimeout(10);
  }
  await Promise.all(answers);
});

test('one of several processes goes on as soon as all requests wait that came during a commit or were answered by it', async () => {
  const { running, ids, queues } = openCommits(3);
  const answers = ['a', 'b', 'c'].map((id) => queues.submit([write(id)]));
  running[0]!.end();
  await answers[0];
  await setImmediate();
  answers.push(queues.submit([write('d')]));
  await setTimeout(200); // the pause after a commit is as long, if nothing ends it
  running[0]!.end();
  await answers[2];
  await setImmediate();
  answers.push(queues.submit([write('e')]));
  await setImmediate();
  expect(ids()).toEqual([]);
  answers.push(queues.submit([write('f')]));
  await setImmediate();
  expect(ids()).toEqual([['d', 'e', 'f']]);
  running[0]!.end();
  await Promise.all(answers);
});

test('a small request is committed beside a large one', async () => {
  const { running, ids, queues } = openCommits();
  const first = queues.submit(large('a', 'b'));
  const second = queues.submit([write('c')]);
  expect(ids()).toEqual([['a', 'b'], ['c']]);
  running[1]!.end();
  expect(await second).toEqual(['stored']);
  running[0]!.end();
  expect(await first).toEqual(['stored', 'stored']);
});

test('two commits never write one call', async () => {
  const { running, ids, queues } = openCommits();
  const first = queues.submit(large('a'));
  const same = queues.submit([write('a')]);
  const next = queues.submit([write('b')]);
  expect(ids()).toEqual([['a'], ['b']]);
  running[1]!.end();
  await next;
  expect(ids()).toEqual([['a']]);
  running[0]!.end();
  await first;
  await setImmediate();
  expect(ids()).toEqual([['a']]);
  running[0]!.end();
  expect(await same).toEqual(['stored']);
});

test('a call that a commit holds waits for its end', async () => {
  const { running, ids, queues } = openCommits();
  const first = queues.submit(large('a'));
  expect(running[0]!.hold(write('b'))).toBe(true);
  const second = queues.submit([write('b')]);
  const third = queues.submit([write('c')]);
  expect(ids()).toEqual([['a'], ['c']]);
  expect(running[1]!.hold(write('a'))).toBe(false);
  expect(running[1]!.hold(write('b'))).toBe(false);
  running[1]!.end();
  await third;
  running[0]!.end();
  await first;
  await setImmediate();
  expect(ids()).toEqual([['b']]);
  running[0]!.end();
  await second;
});

test('draining waits for both queues', async () => {
  const { running, queues } = openCommits();
  const answers = [queues.submit(large('a')), queues.submit([write('b')])];
  let isDrained = false;
  const drained = queues.drain().then(() => {
    isDrained = true;
  });
  running[1]!.end();
  await answers[1];
  await setImmediate();
  expect(isDrained).toBe(false);
  running[0]!.end();
  await drained;
});
