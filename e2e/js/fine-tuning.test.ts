import { expect, test } from 'vitest';
import { runJs } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';

const heddle = heddleForFile();

test('the OpenAI client for JavaScript fine-tunes on an uploaded file and chats with the result', async () => {
  const report = await runJs(heddle.server, 'fine-tuning.mjs', { args: [] });
  expect(report).toEqual({ model: expect.stringMatching(/^ft:heddle\/tiny:\w+::/), lines: 10 });
});
