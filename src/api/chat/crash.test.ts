import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelProcesses } from '../../chat/testing/model-processes.ts';
import { logCalls, queryCalls } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { base, chatting, framesOf, path } from './testing/chat.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_LOG_LEVEL: 'fatal' });
});
afterAll(() => server.close());
const { send } = chatting(() => server);

const long = { ignore_eos: true, max_tokens: 900 };
const crashed = /^The process of the model heddle\/tiny ended with signal SIGKILL, for example because memory ran out/;

function killModel(): void {
  const [model, ...others] = modelProcesses();
  expect(others).toEqual([]);
  process.kill(model!.pid, 'SIGKILL');
}

/** Begins a stream; `rest` reads it to its end. */
async function openStream(project: string) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', 'x-heddle-project': project },
    body: JSON.stringify({ ...base, ...long, stream: true }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  return async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    return framesOf(text) as unknown[];
  };
}

test('chats of a killed model end with a clear error, are traced, and the next chat starts the model again', async () => {
  const project = await server.newProject();
  await logCalls(server, project, [{ op_name: 'before' }]);
  const plain = send(long, { 'x-heddle-project': project });
  const rest = await openStream(project);
  killModel();

  const error = { message: expect.stringMatching(crashed), code: 503 };
  expect(await plain).toMatchObject({ status: 503, json: { error } });
  const frames = await rest();
  expect(frames.length).toBeGreaterThan(2);
  expect(frames.slice(-2)).toMatchObject([{ error }, '[DONE]']);

  await logCalls(server, project, [{ op_name: 'after' }]);
  expect((await send()).status).toBe(200);
  const calls = async () => (await queryCalls(server, project)).calls;
  await expect.poll(async () => (await calls()).length, { timeout: 20_000 }).toBe(4);
  const chats = (await calls()).filter(({ op_name }) => op_name === 'heddle.chat.completions');
  expect(chats).toMatchObject(Array(2).fill({ exception: expect.stringMatching(crashed) }));
  expect(chats.some(({ output }) => output.choices[0].token_ids.length > 0)).toBe(true);
});

test('a model that keeps crashing is not started for a while, and the error says for how long', async () => {
  const leftAlone = /heddle\/tiny has crashed several times. It may be started again in \d+ s/;
  let crashes = 0;
  while (crashes < 10) {
    const { status, json } = await send({ max_tokens: 1 });
    if (status === 503 && leftAlone.test(json.error.message)) break;
    if (status === 503)
      expect(json.error.message).toMatch(crashed); // its end was not yet known
    else expect(status).toBe(200);
    if (modelProcesses().length === 0) continue;
    killModel();
    crashes++;
  }
  expect(crashes).toBeGreaterThan(0);
  expect(crashes).toBeLessThan(10);
});
