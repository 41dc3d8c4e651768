import { afterAll, expect, test, vi } from 'vitest';
import { openAlone } from '../../../peers/alone.ts';
import { newYear, openCallStore, plainCall, testProject } from '../testing/call-store.ts';
import { openCallWriter } from './call-writer.ts';

const store = await openCallStore();
afterAll(() => store.close());

test('traces that were not settled when the server stopped are settled after the next start', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'below', traceId: 'rootless', parentId: 'top' },
    { id: 'top', traceId: 'rootless', parentId: 'elsewhere' },
    { id: 'stale', traceId: 'whole', parentId: 'root', isTopmost: true },
    { id: 'root', traceId: 'whole' },
  );
  const writer = openCallWriter(store.clickhouse, openAlone());
  const topmost = () => project.ids({ filter: { topmost_calls_only: true } });
  await vi.waitFor(async () => expect(await topmost()).toEqual(['top', 'root']), { timeout: 10_000 });
  await writer.drain();
});

test('what was written last is settled before the writer has ended', async () => {
  const project = testProject(store.clickhouse);
  const writer = openCallWriter(store.clickhouse, openAlone());
  const { projectId } = project;
  const start = { ...plainCall(projectId, newYear), traceId: 't', parentId: 'x' };
  await writer.write([{ projectId, id: 'first', part: { kind: 'start', start } }]);
  await writer.drain();
  expect(await project.ids({ filter: { topmost_calls_only: true } })).toEqual(['first']);
});
