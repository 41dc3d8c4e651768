import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { chatRequest } from '../../contract/chat/request.ts';
import { temporaryFolder } from '../testing/fixtures.ts';
import { modelProcesses } from '../testing/model-processes.ts';
import { type Inference, openInference } from './inference.ts';

const model = { id: 'tiny', name: 'tiny', path: fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url)) };
const limits = {
  runningMax: 4,
  waitingMax: 2,
  choicesMax: 1,
  logprobsMax: 20,
  preparersMax: 1,
  preparationsWaitingMax: 100,
};

afterEach(() => expect(modelProcesses()).toEqual([]));

function openForTest(more: { idleMsMax?: number } = {}): Inference {
  const { folder, remove } = temporaryFolder();
  const inference = openInference({ limits, cacheDirectory: folder, niceness: 0, ...more });
  onTestFinished(async () => {
    await inference.close();
    remove();
  });
  return inference;
}

async function tokensFrom(inference: Inference, count: number): Promise<number> {
  const messages = [{ role: 'user', content: 'Hi' }];
  const body = chatRequest.parse({ messages, ignore_eos: true, max_tokens: count });
  const request = { tenant: ['user', 'project'] as const, body, usesNeutralSampling: false, keepsLogprobs: false };
  const { events } = await inference.generate(model, request, new AbortController().signal);
  let tokens = 0;
  for await (const event of events) if (event.kind === 'choice') tokens += event.ids.length;
  return tokens;
}

test('a model that nobody uses is closed after the time set, and opened again by the next request', async () => {
  const inference = openForTest({ idleMsMax: 20 });
  for (let round = 0; round < 2; round++) {
    expect(await tokensFrom(inference, 300)).toBe(300);
    await expect.poll(() => modelProcesses(), { timeout: 20_000 }).toEqual([]);
  }
});

test('a model stays open where no time is set', async () => {
  const inference = openForTest();
  await tokensFrom(inference, 1);
  const [first] = modelProcesses();
  await tokensFrom(inference, 1);
  expect(modelProcesses()).toEqual([first]);
  await inference.close();
});

test('a server that stops does not wait for a model that is being opened', async () => {
  const inference = openForTest();
  const answer = tokensFrom(inference, 1);
  const refused = expect(answer).rejects.toMatchObject({ name: 'ModelUnavailable', message: 'The model was closed.' });
  await inference.close();
  expect(modelProcesses()).toEqual([]);
  await refused;
  await expect(tokensFrom(inference, 1)).rejects.toMatchObject({ message: 'The server is stopping.' });
});
