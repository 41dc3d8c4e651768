import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('fine-tuning with the OpenAI client for Python', () => {
  const heddle = heddleForFile();

  test('trains on uploaded files, shows how it goes, and serves the models until they are deleted', async () => {
    const report = await runPython(heddle.server, 'fine_tuning.py', { args: [] });
    expect(report).toEqual({
      model: expect.stringMatching(/^ft:heddle\/tiny:\w+:ada:/),
      deleted: ['NotFoundError', 404, 'model'],
      file: ['NotFoundError', 404, 'id'],
      'unknown model': ['BadRequestError', 400, 'model'],
      purpose: ['BadRequestError', 400, 'purpose'],
    });
  });
});
