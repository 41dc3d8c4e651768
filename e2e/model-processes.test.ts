import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRunning, modelProcesses } from '../src/chat/testing/model-processes.ts';
import { type Heddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

let heddle: Heddle;
beforeEach(async () => {
  heddle = await startHeddle(testDataDirectory());
});
afterEach(() => heddle.close().catch(() => {})); // the tests end it in ways of their own

/** Begins a long chat and resolves with its first frame. */
async function beginChat() {
  const response = await fetch(`${heddle.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${heddle.key}` },
    body: JSON.stringify({
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      ignore_eos: true,
      max_tokens: 900,
    }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  return {
    async rest(): Promise<string> {
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
      return text;
    },
  };
}

test('Ctrl-C, which a terminal sends to all processes, lets the server finish its chats, and leaves no process', async () => {
  const chat = await beginChat();
  const models = modelProcesses(heddle.pid);
  expect(models).toHaveLength(1);
  process.kill(models[0]!.pid, 'SIGINT');
  const ended = heddle.end('SIGINT');
  const text = await chat.rest();
  expect(text).toContain('"finish_reason":"length"');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(isRunning(models[0]!.pid)).toBe(false);
});

test('no model outlives a server that is killed in the middle of a chat', async () => {
  const chat = await beginChat();
  const reading = chat.rest().catch(() => 'broken off');
  const models = modelProcesses(heddle.pid);
  expect(models).toHaveLength(1);
  await heddle.end('SIGKILL');
  await expect.poll(() => isRunning(models[0]!.pid), { timeout: 30_000 }).toBe(false);
  await reading;
});
