import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('costs in the Python client', () => {
  const heddle = heddleForFile();

  test('prices are set, calls are priced by them, and prices go again', async () => {
    const project = heddle.server.newProject();
    const { root } = await runPython(heddle.server, 'costs.py', { args: [project] });
    const stored = (await storedCalls(heddle.server, project)).find(({ id }) => id === root);
    expect(stored.summary.usage['toy-priced']).toMatchObject({ requests: 2, prompt_tokens: 10 });
    expect(stored.summary.weave.costs).toBeUndefined();
  });
});
