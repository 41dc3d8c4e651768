import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { type Heddle, startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('annotation queues of the Python client', () => {
  let data: string;
  beforeEach(() => {
    data = testDataDirectory();
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  test('are filled and worked through, and how far is known after a crash', async () => {
    const heddle = await startHeddle(data);
    const project = heddle.newProject();
    const { queue, calls } = await runPython(heddle, 'annotation_queues.py', { args: [project] });
    const before = await itemsOf(heddle, project, queue);
    await heddle.end('SIGKILL');

    const again = await startHeddle(data);
    const items = await itemsOf(again, project, queue);
    expect(items).toEqual(before);
    expect(items.map((item) => [item.call_id, item.annotation_state])).toEqual(
      calls.map((id: string, n: number) => [id, ['completed', 'skipped'][n] ?? 'unstarted']),
    );
    const path = `/annotation_queues/${queue}/items/${items[0]!.id}/progress`;
    const step = (state: string) => again.post(path, { project_id: project, annotation_state: state });
    expect((await step('skipped')).status).toBe(400);
    expect((await step('completed')).status).toBe(200);
    await again.close();
  });
});

type Item = { id: string; call_id: string; annotation_state: string };

async function itemsOf(heddle: Heddle, project: string, queue: string): Promise<Item[]> {
  return (await heddle.post(`/annotation_queues/${queue}/items/query`, { project_id: project })).json.items;
}
