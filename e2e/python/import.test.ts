import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-import-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe.skipIf(!pythonIsReady())('calls exported by the Python client', () => {
  const heddle = heddleForFile();

  test('are imported with their ids, times and payloads, without duplicates when repeated', async () => {
    const project = heddle.server.newProject();
    const [byClient, byServer] = ['client.jsonl', 'server.jsonl'].map((name) => join(directory, name));
    const { url, key } = heddle.server;
    const { ids } = await runPython(heddle.server, 'export_calls.py', {
      args: [project, byClient!, byServer!, url, key],
    });
    const kept = (calls: Call[]) => calls.map((call) => pick(call)).sort((a, b) => a.id.localeCompare(b.id));
    const original = kept(await storedCalls(heddle.server, project));
    expect(original.map(({ id }) => id)).toEqual(ids.toSorted());

    for (const [file, copy] of [
      [byClient!, 'ent/by-client'],
      [byServer!, 'ent/by-server'],
    ] as const) {
      await heddle.server.command('import', 'weave', file, '--project', copy);
      await heddle.server.command('import', 'weave', file, '--project', copy);
      const moved = JSON.parse(JSON.stringify(original).replaceAll(`weave:///${project}/op/`, `weave:///${copy}/op/`));
      expect(kept(await storedCalls(heddle.server, copy))).toEqual(moved);
    }
    const feedback = await heddle.server.post('/feedback/query', { project_id: 'ent/by-server' });
    expect(feedback.json.result).toMatchObject([{ payload: { note: 'good' } }]);
  });
});

type Call = any;
const names = [
  ...['id', 'trace_id', 'parent_id', 'op_name', 'display_name', 'started_at', 'ended_at'],
  ...['inputs', 'output', 'attributes', 'exception'],
];

function pick(call: Call): Call {
  return Object.fromEntries(names.map((name) => [name, call[name]]));
}
