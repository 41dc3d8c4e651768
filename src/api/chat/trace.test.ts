import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { filesDigest } from '../../util/files-digest.ts';
import { version } from '../../util/version.ts';
import { queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';
import { base, chatting, encode, framesOf, path } from './testing/chat.ts';

const server = await testServer();
const { send, prompt } = chatting(() => server);

const tinyModel = join(import.meta.dirname, '../../../assets/tiny-model');
const weightsPath = join(tinyModel, 'model.safetensors');
const weights = [{ name: 'model.safetensors', path: weightsPath, bytes: statSync(weightsPath).size }];
const template = JSON.parse(readFileSync(join(tinyModel, 'tokenizer_config.json'), 'utf8')).chat_template;

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
    model: { id: 'tiny', name: 'heddle/tiny', adapter: null },
    assignment: { policy: 'heddle/tiny', version: null, variant: 'heddle/tiny', unit: 'request', probability: 1 },
    sampling: expect.objectContaining({ temperature: 1, top_p: 1, seed: 9, max_tokens: 8 }),
    draws: { from: 'model' },
    engine: { name: 'heddle', version, arithmetic: 'exact', threads: expect.any(Number), batchInvariant: false },
    digests: {
      ...{ weights: await filesDigest(weights), adapter: null },
      ...{ tokenizer: expect.stringMatching(/^[0-9a-f]{64}$/), template: hash('sha256', template) },
    },
  });
  expect(encode(await prompt())).toEqual(call.output.prompt_token_ids);
  for (const [i, choice] of call.output.choices.entries()) {
    expect(choice.message).toEqual(json.choices[i].message);
    expect(choice.logprobs.content).toHaveLength(choice.token_ids.length);
  }
  expect(json.choices[0].logprobs).toBeNull();
});

test.each([
  ['greedy', { temperature: 0 }],
  ['beams', { use_beam_search: true, n: 2, temperature: 0 }],
])('records that tokens were not drawn: %s', async (from, asked) => {
  const project = await server.newProject();
  await send(asked, { 'X-Heddle-Project': project });
  const [call] = await callsOf(project, 1);
  expect(call.attributes.heddle.draws).toEqual({ from });
});

test('records the logprobs of adjusted draws', async () => {
  const project = await server.newProject();
  const [one, other] = await alternatives();
  const allowed_token_ids = [one!.id, other!.id];
  await send({ temperature: 0.5, n: 4, max_tokens: 1, allowed_token_ids }, { 'X-Heddle-Project': project });
  const [call] = await callsOf(project, 1);
  const { from, logprobs } = call.attributes.heddle.draws;
  expect(from).toBe('adjusted');
  const total = Math.exp(one!.logprob / 0.5) + Math.exp(other!.logprob / 0.5);
  for (const [index, { token_ids }] of call.output.choices.entries()) {
    const { logprob } = token_ids[0] === one!.id ? one! : other!;
    expect(floatsOf(logprobs[index])).toEqual([expect.closeTo(logprob / 0.5 - Math.log(total), 4)]);
  }
});

test.each([
  ['/v1/completions', { prompt: 'Hi', max_tokens: 3, temperature: 0.7, n: 2 }, 2],
  ['/v1/responses', { input: 'Hi', max_output_tokens: 16, temperature: 0.7 }, 1],
])('records the origin and the draws of %s, too', async (endpoint, asked, choices) => {
  const project = await server.newProject();
  await server.post(endpoint, { model: 'heddle/tiny', ...asked }, { headers: { 'X-Heddle-Project': project } });
  const [call] = await callsOf(project, 1);
  const { draws, digests, engine, assignment } = call.attributes.heddle;
  expect(draws).toEqual({ from: 'adjusted', logprobs: Array(choices).fill(expect.any(String)) });
  expect([digests.weights, engine.version]).toEqual([await filesDigest(weights), version]);
  expect(assignment).toMatchObject({ policy: 'heddle/tiny', probability: 1 });
});

/** The second and the third most likely token after the prompt. */
async function alternatives(): Promise<{ id: number; logprob: number }[]> {
  const asked = { max_tokens: 1, logprobs: true, top_logprobs: 3, return_tokens_as_token_ids: true };
  const { json } = await send(asked, { 'X-Heddle-Trace': 'off' });
  const top: { token: string; logprob: number }[] = json.choices[0].logprobs.content[0].top_logprobs;
  return top.slice(1).map(({ token, logprob }) => ({ id: Number(token.replace('token_id:', '')), logprob }));
}

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
}

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
