import { describe, expect, test } from 'vitest';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('with the OpenAI client for Python', () => {
  const heddle = heddleForFile();

  test('an adapter is loaded, chats under its name beside its base, and is unloaded [chat 188]', async () => {
    const report = await runPython(heddle.server, 'adapters.py', { args: [adapterFolder] });
    expect(report).toEqual({
      loaded: [200, "Success: LoRA adapter 'tuned' added successfully."],
      parent: 'heddle/tiny',
      root: adapterFolder,
      again: 400,
      unloaded: [200, "Success: LoRA adapter 'tuned' removed successfully."],
      missing: 404,
      error: [404, 'model'],
    });
  });
});
