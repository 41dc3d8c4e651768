import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { at, startOf } from '../testing/calls.ts';
import { freshProject } from '../testing/fresh-project.ts';

const project = freshProject();

type Fields = Record<string, unknown>;

const query = (request: Fields = {}) => project.post('/threads/stream_query', { project_id: project.name, ...request });
const names = async (request: Fields = {}) => (await query(request)).lines.map((thread) => thread.thread_id);

/** A turn that starts at a minute and takes some seconds. */
function turn(threadId: string, minute: number, seconds: number) {
  const id = randomUUID();
  return { id, thread_id: threadId, turn_id: id, started_at: at(minute), ended_at: at(minute, seconds) };
}

/** A running turn. */
async function startTurn(threadId: string, minute: number): Promise<string> {
  const { ended_at: _, ...fields } = turn(threadId, minute, 0);
  await project.post('/call/start', { start: startOf(project.name, fields) });
  return fields.id;
}

test('counts and measures turns but not nested calls [calls 121]', async () => {
  const [first, second] = [turn('t', 0, 2), turn('t', 5, 4)];
  const nested = { thread_id: 't', turn_id: first.id, parent_id: first.id, started_at: at(0), ended_at: at(9) };
  const inThreadAlone = { thread_id: 't', started_at: at(20), ended_at: at(21) };
  await project.log(second, nested, first, inThreadAlone);
  const answer = await query();
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  expect(answer.text.endsWith('}\n')).toBe(true);
  expect(answer.lines).toEqual([
    {
      ...{ thread_id: 't', turn_count: 2, start_time: '2024-01-01T00:00:00Z', last_updated: '2024-01-01T00:05:04Z' },
      ...{ first_turn_id: first.id, last_turn_id: second.id },
      ...{ p50_turn_duration_ms: 3000, p99_turn_duration_ms: 3980 },
    },
  ]);
});

test('returns an empty body if there are no threads', async () => {
  const { status, text } = await query();
  expect({ status, text }).toEqual({ status: 200, text: '' });
});

test('the last turn is the one that ends last', async () => {
  const [long, short] = [turn('t', 0, 59), turn('t', 0, 1)];
  await project.log(long, { ...short, started_at: '2024-01-01T00:00:00.5Z' });
  expect((await query()).lines).toMatchObject([{ first_turn_id: long.id, last_turn_id: long.id }]);
});

test('a thread whose only turn is running is not listed or counted in pages [calls 122]', async () => {
  await startTurn('running', 9);
  await project.log(turn('done', 0, 1));
  expect(await names({ limit: 1 })).toEqual(['done']);
  expect(await names({ limit: 1, offset: 1 })).toEqual([]);
});

test('counts a running turn if another turn has ended', async () => {
  const done = turn('t', 0, 2);
  await project.log(done);
  await startTurn('t', 1);
  expect((await query()).lines).toMatchObject([
    { turn_count: 2, last_turn_id: done.id, p50_turn_duration_ms: 2000, last_updated: '2024-01-01T00:00:02Z' },
  ]);
});

test('sorts the last updated first, or as asked [calls 122]', async () => {
  await project.log(turn('a', 1, 1), turn('b', 2, 5), turn('c', 3, 3), turn('a', 4, 3), turn('d', 0, 2));
  expect(await names()).toEqual(['a', 'c', 'b', 'd']);
  const sorted = (field: string, direction: string) => names({ sort_by: [{ field, direction }] });
  expect(await sorted('turn_count', 'asc')).toEqual(['b', 'c', 'd', 'a']);
  expect(await sorted('thread_id', 'desc')).toEqual(['d', 'c', 'b', 'a']);
  expect(await sorted('start_time', 'asc')).toEqual(['d', 'a', 'b', 'c']);
  expect(await sorted('last_updated', 'asc')).toEqual(['d', 'b', 'c', 'a']);
  expect(await sorted('p50_turn_duration_ms', 'desc')).toEqual(['b', 'c', 'a', 'd']);
  expect(await sorted('p99_turn_duration_ms', 'asc')).toEqual(['d', 'a', 'c', 'b']);
  const twice = [
    { field: 'turn_count', direction: 'desc' },
    { field: 'thread_id', direction: 'desc' },
  ];
  expect(await names({ sort_by: twice })).toEqual(['a', 'd', 'c', 'b']);
});

test.each([
  ['sort_by foo [calls 122]', { sort_by: [{ field: 'foo', direction: 'asc' }] }, 'foo'],
  ['sort_by constructor [calls 122]', { sort_by: [{ field: 'constructor', direction: 'asc' }] }, 'constructor'],
  ['limit -1', { limit: -1 }, 'Limit'],
  ['offset -1', { offset: -1 }, 'Offset'],
])('rejects %s', async (_name, request, word) => {
  const { status, json } = await query(request);
  expect(status).toBe(400);
  expect(json.reason).toContain(word);
});

test('rejects an unknown sort direction', async () => {
  expect((await query({ sort_by: [{ field: 'thread_id', direction: 'ASC' }] })).status).toBe(422);
});

test('the filter selects turns by their start [calls 123]', async () => {
  const [first, second] = [turn('t', 0, 2), turn('t', 5, 4)];
  await project.log(first, second, turn('other', 1, 1));
  const later = await query({ filter: { after_datetime: at(3) } });
  expect(later.lines).toMatchObject([
    { thread_id: 't', turn_count: 1, first_turn_id: second.id, start_time: '2024-01-01T00:05:00Z' },
  ]);
  const earlier = await query({ filter: { before_datetime: at(5), thread_ids: ['t'] } });
  expect(earlier.lines).toMatchObject([
    { turn_count: 1, last_turn_id: first.id, last_updated: '2024-01-01T00:00:02Z' },
  ]);
});

test('the dates of the filter are exclusive and may have a time zone', async () => {
  await project.log(turn('t', 0, 2));
  expect(await names({ filter: { after_datetime: at(0) } })).toEqual([]);
  expect(await names({ filter: { before_datetime: at(0) } })).toEqual([]);
  expect(await names({ filter: { after_datetime: '2024-01-01T01:59:59+02:00' } })).toEqual(['t']);
  expect(await names({ filter: { before_datetime: '2024-01-01T02:00:00+02:00' } })).toEqual([]);
});

test('thread_ids selects threads; an empty list selects all', async () => {
  await project.log(turn('a', 0, 1), turn('b', 1, 1), turn('c', 2, 1));
  expect(await names({ filter: { thread_ids: ['a', 'c', 'unknown'] } })).toEqual(['c', 'a']);
  expect(await names({ filter: { thread_ids: [] } })).toEqual(['c', 'b', 'a']);
  expect(await names({ filter: {} })).toEqual(['c', 'b', 'a']);
});

test('pages cover every thread once', async () => {
  await project.log(...['a', 'b', 'c', 'd', 'e'].map((name) => turn(name, 0, 1)));
  const pages = await Promise.all([0, 2, 4, 6].map((offset) => names({ limit: 2, offset })));
  expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e'], []]);
  expect(await names({ limit: 0 })).toEqual([]);
});

test('uses the newest version of a turn, and no deleted one', async () => {
  const [moved, deleted] = [turn('before', 0, 1), turn('gone', 1, 1)];
  await project.log(moved, deleted);
  await project.log({ ...moved, thread_id: 'after', ended_at: at(0, 3) });
  await project.post('/calls/delete', { project_id: project.name, call_ids: [deleted.id] });
  expect((await query()).lines).toMatchObject([{ thread_id: 'after', turn_count: 1, p50_turn_duration_ms: 3000 }]);
});

test('a thread id may contain any character', async () => {
  const name = 'a "thread"\nof two lines – ü';
  await project.log(turn(name, 0, 1));
  const { lines } = await query();
  expect(lines).toMatchObject([{ thread_id: name }]);
});
