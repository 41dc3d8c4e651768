import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../../contract/ids.ts';
import { type FeedbackRow, toFeedbackRow } from '../../../domain/feedback/feedback-row.ts';
import { JsonText } from '../../../util/json/json-text.ts';
import { nowMicroseconds } from '../../../util/timestamp.ts';
import { type BatchedInserter, openBatchedInserter } from '../batched-inserter.ts';
import { openCallStore } from '../calls/testing/call-store.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { insertLine } from '../rows/insert-line.ts';
import { insertFeedback, purgeFeedback, replaceFeedback } from './write-feedback.ts';

let store: { clickhouse: ClickHouse; close(): Promise<void> };
let clickhouse: ClickHouse;
let inserter: BatchedInserter;
let reads = 0;
let projectId: string;
beforeAll(async () => {
  store = await openCallStore();
  clickhouse = {
    ...store.clickhouse,
    query: (...given) => {
      reads++;
      return store.clickhouse.query(...given);
    },
  };
  inserter = openBatchedInserter(clickhouse);
});
beforeEach(() => {
  projectId = newId();
  reads = 0;
});
afterAll(() => store.close());

const beside = (isAlone: boolean) => ({ clickhouse, inserter, peers: { isAlone } });

function rowOf(id: string, note: string, target = 'call'): FeedbackRow {
  const about = { weave_ref: `weave:///e/p/call/${target}`, feedback_type: 'note' };
  const span = { span_agent_name: '', span_agent_version: '', span_status_code: 'UNSET', span_conversation_id: '' };
  const wire = { ...about, ...span, span_trace_id: '', scorer_trace_id: '' } as Parameters<typeof toFeedbackRow>[0];
  return toFeedbackRow(wire, new JsonText(JSON.stringify(note)), {
    ...{ id, projectId, userId: 'u' },
    createdAt: nowMicroseconds(),
  });
}

/** Writes what a process whose clock is ahead has written. */
const writeAhead = (row: FeedbackRow, isDeleted: 0 | 1) =>
  inserter.insert(
    'feedback',
    insertLine('feedback', { ...row, version: nowMicroseconds() + 10_000_000, is_deleted: isDeleted }),
  );

async function notes(): Promise<string[]> {
  const rows = await store.clickhouse.query<{ payload: string }>(
    'SELECT payload FROM feedback FINAL WHERE project_id = {projectId:String} ORDER BY payload',
    { projectId },
  );
  return rows.map(({ payload }) => JSON.parse(payload));
}

test.each([0, 1] as const)(
  'beside other processes, feedback exceeds what is stored with its id by a clock that is ahead, deleted: %i',
  async (isDeleted) => {
    const [created, replacement] = [rowOf(newId(), 'created'), rowOf(newId(), 'replacement')];
    for (const row of [created, replacement]) await writeAhead({ ...row, payload: '"old"' }, isDeleted);
    const batch = [rowOf(created.id, 'first'), created];
    await insertFeedback(beside(false), batch, batch);
    await replaceFeedback(beside(false), { projectId, ids: [newId()] }, replacement);
    expect(await notes()).toEqual(['created', 'replacement']);

    await purgeFeedback(beside(false), { projectId, ids: [created.id, replacement.id] });
    expect(await notes()).toEqual([]);
  },
);

test('replaces all feedback with an id, on any target, and keeps the replacement on one of them', async () => {
  const [first, second] = [rowOf(newId(), 'a', 'one'), rowOf(newId(), 'b', 'two')];
  for (const row of [first, { ...second, id: first.id }]) await writeAhead(row, 0);
  await replaceFeedback(beside(false), { projectId, ids: [first.id] }, { ...first, payload: '"new"' });
  expect(await notes()).toEqual(['new']);
});

test('reads nothing for new ids, nor in a process that is alone', async () => {
  await insertFeedback(beside(false), [rowOf(newId(), 'new')], []);
  const known = rowOf(newId(), 'known');
  await insertFeedback(beside(true), [known], [known]);
  expect(reads).toBe(0);
  await insertFeedback(beside(false), [known], [known]);
  expect(reads).toBe(1);
});
