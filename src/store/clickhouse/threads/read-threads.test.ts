import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Thread } from '../../../domain/thread.ts';
import { newYear, openCallStore, testProject } from '../calls/testing/call-store.ts';
import { readThreads } from './read-threads.ts';

let store: Awaited<ReturnType<typeof openCallStore>>;
beforeAll(async () => {
  store = await openCallStore();
});
afterAll(() => store.close());

async function threadsOf(projectId: string, limit: number | null = null, offset: number | null = null) {
  const threads: Thread[] = [];
  const sortBy = [{ field: 'thread_id', direction: 'asc' } as const];
  for await (const page of readThreads(store.clickhouse, { projectId, filter: null, sortBy, limit, offset })) {
    threads.push(...page);
  }
  return threads;
}

const turn = (id: string, threadId: string, second: number) => {
  const startedAt = newYear + second * 1e6;
  return { id, turnId: id, threadId, startedAt, endedAt: startedAt + 500_000 };
};

test('many turns are told as few are, each by its newest version', async () => {
  const few = testProject(store.clickhouse);
  const many = testProject(store.clickhouse);
  const turns = [turn('a', 't1', 1), turn('b', 't1', 2), turn('c', 't2', 3), turn('d', 't3', 4)];
  const newer = [
    { ...turns[1]!, threadId: 't2', version: 2 },
    { ...turns[3]!, isDeleted: true, version: 2 },
  ];
  const others = Array.from({ length: 5500 }, (_, index) => turn(`x${index}`, 'u', 10 + index));
  await few.write(...turns, turn('x', 'u', 10));
  await few.write(...newer);
  await many.write(...turns, ...others);
  await many.write(...newer);
  const expected = [
    { threadId: 't1', turnCount: 1, firstTurnId: 'a', lastTurnId: 'a' },
    { threadId: 't2', turnCount: 2, firstTurnId: 'b', lastTurnId: 'c', startTime: newYear + 2e6 },
  ];
  expect(await threadsOf(few.projectId)).toMatchObject([...expected, { threadId: 'u', turnCount: 1 }]);
  expect(await threadsOf(many.projectId)).toMatchObject([...expected, { threadId: 'u', turnCount: 5500 }]);
});

test('more threads than one page holds come in one order, each once', async () => {
  const project = testProject(store.clickhouse);
  const turns = Array.from({ length: 20_500 }, (_, index) => turn(`${index}`, String(index).padStart(5, '0'), index));
  await project.write(...turns);
  const names = turns.map(({ threadId }) => threadId);
  expect((await threadsOf(project.projectId)).map(({ threadId }) => threadId)).toEqual(names);
  const some = await threadsOf(project.projectId, 20_100, 300);
  expect(some.map(({ threadId }) => threadId)).toEqual(names.slice(300, 20_400));
});
