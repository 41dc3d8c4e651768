import { expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';
import { base, chatting, encode, framesOf, path } from './testing/chat.ts';

const server = await testServer();
const { send, prompt } = chatting(() => server);

/** The calls of a project, once there are so many: they are written after the answer. */
async function callsOf(project: string, count: number) {
  const calls = async () => (await queryCalls(server, project)).calls;
  await expect.poll(async () => (await calls()).length, { timeout: 10_000 }).toBe(count);
  return calls();
}

test('records a chat as a call of its project, with everything that training reads', async () => {
  const project = await server.newProject();
  const asked = { temperature: 1, seed: 9, n: 2 };
  const { json } = await send(asked, { 'X-Heddle-Project': project });
  const [call] = await callsOf(project, 1);
  expect(call).toMatchObject({ op_name: 'heddle.chat.completions', inputs: { ...base, ...asked }, exception: null });
  expect(call.summary.usage['heddle/tiny']).toMatchObject({ requests: 1, total_tokens: json.usage.total_tokens });
  expect(call.attributes.heddle).toEqual({
    model: { id: 'tiny', name: 'heddle/tiny' },
    sampling: expect.objectContaining({ temperature: 1, top_p: 1, seed: 9, max_tokens: 8 }),
  });
  expect(encode(await prompt())).toEqual(call.output.prompt_token_ids);
  for (const [i, choice] of call.output.choices.entries()) {
    expect(choice.message).toEqual(json.choices[i].message);
    expect(choice.logprobs.content).toHaveLength(choice.token_ids.length);
  }
  expect(json.choices[0].logprobs).toBeNull();
});

test('records a streamed chat as the same call', async () => {
  const project = await server.newProject();
  const headers = { 'X-Heddle-Project': project };
  const whole = await send({}, headers);
  const frames = framesOf((await send({ stream: true }, headers)).text);
  expect(frames.at(-1)).toBe('[DONE]');
  const calls = await callsOf(project, 2);
  const [a, b] = calls.map(({ output }) => ({
    choices: output.choices,
    prompt: output.prompt_token_ids,
    usage: output.usage,
  }));
  expect(a).toEqual(b);
  expect(a!.choices[0].message).toEqual(whole.json.choices[0].message);
});

test('records the drawn seed digit for digit', async () => {
  const project = await server.newProject();
  await send({ temperature: 1 }, { 'X-Heddle-Project': project });
  const [call] = await callsOf(project, 1);
  const { text } = await queryCalls(server, project);
  const seed = /"seed":(-?\d+),/.exec(text)![1]!;
  const again = await server.post(path, `${JSON.stringify({ ...base, temperature: 1 }).slice(0, -1)},"seed":${seed}}`);
  expect(again.json.choices[0].message).toEqual(call.output.choices[0].message);
});

test('a chat with a session id is a turn of that thread', async () => {
  const project = await server.newProject();
  await send({}, { 'X-Heddle-Project': project, 'X-Session-ID': 'talk-1' });
  const [call] = await callsOf(project, 1);
  expect(call).toMatchObject({ thread_id: 'talk-1', turn_id: call.id });
  const { lines } = await server.post('/threads/stream_query', { project_id: project });
  expect(lines).toMatchObject([{ thread_id: 'talk-1', turn_count: 1 }]);
});

test('records no call if the request says so or is rejected', async () => {
  const project = await server.newProject();
  const headers = { 'X-Heddle-Project': project };
  await send({}, { ...headers, 'X-Heddle-Trace': 'off' });
  await send({ n: 0 }, headers);
  await send({}, headers);
  expect(await callsOf(project, 1)).toHaveLength(1);
});

test("uses the key's default project if none is named", async () => {
  await send();
  await expect.poll(async () => (await queryCalls(server, 'ent/default')).calls.length).toBeGreaterThan(0);
});

test('rejects a project that the caller cannot access', async () => {
  const config = readConfig({ data: server.data }, {});
  await askRunning(config, 'users.create', { name: 'guest' });
  const key = (await askRunning(config, 'keys.create', { user: 'guest' }))!.answer.key;
  const refused = await server.post(path, base, { key, headers: { 'X-Heddle-Project': 'ent/p0' } });
  expect(refused.status).toBe(403);
  expect(refused.json.error).toMatchObject({ type: 'PermissionDeniedError', code: 403 });
  const malformed = await send({}, { 'X-Heddle-Project': 'no project' });
  expect([malformed.status, malformed.json.error.type]).toEqual([400, 'BadRequestError']);
});

test('redacts credentials in the request', async () => {
  const project = await server.newProject();
  await send({ chat_template_kwargs: { api_key: 'very-secret-value' } }, { 'X-Heddle-Project': project });
  await callsOf(project, 1);
  expect((await queryCalls(server, project)).text).not.toContain('very-secret-value');
});
