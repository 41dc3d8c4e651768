import { afterAll, expect, test } from 'vitest';
import { openAlone } from '../../../peers/alone.ts';
import { newYear, openCallStore, plainCall, testProject } from '../testing/call-store.ts';
import { openCallWriter } from './call-writer.ts';

const store = await openCallStore();
afterAll(() => store.close());

const report = (projectId: string, id: string) => {
  const usage = { 'gpt-4o': { requests: 1, prompt_tokens: 100, completion_tokens: 10 } };
  const fields = {
    opName: `tracer ${id}`,
    endedAt: newYear + 1e6,
    mapperVersion: 1,
    attributes: '{"response_id":"r1"}',
  };
  const call = { ...plainCall(projectId, newYear), ...fields, summary: JSON.stringify({ usage }) };
  return { projectId, id, part: { kind: 'complete' as const, start: call, end: call } };
};

async function repeatedOf(projectId: string): Promise<string[]> {
  const rows = await store.clickhouse.query<{ id: string }>(
    'SELECT id FROM calls FINAL WHERE project_id = {projectId:String} AND is_repeated AND NOT is_deleted ORDER BY id',
    { projectId },
  );
  return rows.map(({ id }) => id);
}

test('a request is counted once that is reported before and after a restart', async () => {
  const { projectId } = testProject(store.clickhouse);
  await openCallWriter(store.clickhouse, openAlone()).write([report(projectId, 'a')]);
  await openCallWriter(store.clickhouse, openAlone()).write([report(projectId, 'b')]);
  expect(await repeatedOf(projectId)).toHaveLength(1);
  await openCallWriter(store.clickhouse, openAlone()).write([report(projectId, 'c')]);
  expect(await repeatedOf(projectId)).toHaveLength(2);
});

test('a report that was deleted before a restart counts no more', async () => {
  const { projectId } = testProject(store.clickhouse);
  const before = openCallWriter(store.clickhouse, openAlone());
  await before.write([report(projectId, 'a')]);
  await before.write([{ projectId, id: 'a', part: { kind: 'delete' } }]);
  await openCallWriter(store.clickhouse, openAlone()).write([report(projectId, 'b')]);
  expect(await repeatedOf(projectId)).toEqual([]);
});
