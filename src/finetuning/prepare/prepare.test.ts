import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { sftJobConfig } from '../../contract/training-jobs/sft-config.ts';
import { sftSettings } from '../../domain/training/sft-settings.ts';
import { filesAt } from '../../engine/testing/files-at.ts';
import { openOwnModelReader } from '../../inference/own/own-model-reader.ts';
import { endKeptThread, giveThread, takeThread } from './kept-thread.ts';
import { prepareInThread } from './prepare.ts';

const tinyPath = fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url));
const modelReader = openOwnModelReader(filesAt(tinyPath));

afterEach(endKeptThread);

function prepare(
  lines: Iterable<Buffer> | AsyncIterable<Buffer>,
  { base = 'tiny', signal = new AbortController().signal } = {},
) {
  const { settings } = sftSettings(sftJobConfig.parse({ training_data_url: 'data:' }));
  const wanted = { kind: 'sft' as const, settings, base: { id: base, name: base }, seed: 1n, now: 0 };
  return prepareInThread(modelReader, Readable.from(lines), wanted, signal);
}

function line(answer: string): Buffer {
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: answer },
  ];
  return Buffer.from(`${JSON.stringify({ messages })}\n`);
}

/** The thread that is kept for a model, which stays kept. */
async function keptThread(base = 'tiny') {
  const thread = takeThread(base);
  await giveThread(thread);
  return thread.worker;
}

test('data is prepared in the thread of the data before exactly as in a new one', async () => {
  await prepare([line('first'), line('second')]);
  const thread = await keptThread();
  const after = await prepare([line('third')]);
  expect(await keptThread()).toBe(thread);
  await endKeptThread();
  expect(thread.isAlive).toBe(false);
  expect(await prepare([line('third')])).toEqual(after);
  expect(after.batches.flatMap(({ conversations }) => conversations)).toHaveLength(1);
});

test('a thread is not used for another model, and at most one is kept', async () => {
  await prepare([line('first')]);
  const thread = await keptThread();
  await prepare([line('first')], { base: 'other' });
  expect(thread.isAlive).toBe(false);
  expect(await keptThread('other')).not.toBe(thread);
});

test('data that is prepared at the same time has threads of its own', async () => {
  const wanted = ['a', 'b', 'c'].map((answer) => prepare([line(answer)]));
  const together = await Promise.all(wanted);
  for (const [i, answer] of ['a', 'b', 'c'].entries()) expect(together[i]).toEqual(await prepare([line(answer)]));
});

test('the thread of faulty data is not kept', async () => {
  await prepare([line('first')]);
  const thread = await keptThread();
  await expect(prepare([Buffer.from('{')])).rejects.toMatchObject({ kind: 'invalidInput' });
  expect(thread.isAlive).toBe(false);
});

test('the thread of data that is canceled is not kept', async () => {
  await prepare([line('first')]);
  const thread = await keptThread();
  const aborted = new AbortController();
  async function* data() {
    yield line('first');
    aborted.abort(new Error('enough'));
    yield line('second');
  }
  await expect(prepare(data(), { signal: aborted.signal })).rejects.toThrow('enough');
  expect(thread.isAlive).toBe(false);
});
