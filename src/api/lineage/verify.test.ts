import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writePeftFolder } from '../../engine/adapters/peft/write.ts';
import { readConfig } from '../../engine/models/open-source.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { randomAdapter } from '../../engine/testing/random-adapter.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-lineage-'));
mkdirSync(join(root, 'adapters'));
const settings = { HEDDLE_CHAT_BATCH_INVARIANT: 'true', HEDDLE_ADAPTER_FOLDERS: join(root, 'adapters') };
let server: TestServer;
let project: string;

beforeAll(async () => {
  server = await startTestServer(settings);
  project = await server.newProject();
  await loadAdapter('tuned', 1);
  await loadAdapter('other', 2);
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

async function loadAdapter(name: string, seed: number): Promise<void> {
  const { path } = await tinyModel();
  const folder = join(root, 'adapters', name);
  writePeftFolder(folder, { ...randomAdapter(await readConfig(path), { seed, size: 0.4 }), baseModel: 'heddle/tiny' });
  const { status, text } = await server.post('/v1/load_lora_adapter', { lora_name: name, lora_path: folder });
  expect({ status, text }).toMatchObject({ status: 200 });
}

const user = (content: string) => [{ role: 'user', content }];
const chat = { model: 'tuned', messages: user('Tell me about the sea'), max_tokens: 12 };
const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 0, maximum: 99 } }, required: ['a'] };
const tool = { type: 'function', function: { name: 'f', parameters: schema } };
const chats: [name: string, body: object][] = [
  ['greedy', { ...chat, temperature: 0 }],
  ['with a drawn seed', chat],
  ['of the base model', { ...chat, model: 'heddle/tiny' }],
  ['with a large seed', { ...chat, seed: '9007199254740993' }],
  ['with filters', { ...chat, temperature: 0.7, top_p: 0.9, top_k: 20, min_p: 0.01 }],
  ['with penalties', { ...chat, frequency_penalty: 0.5, presence_penalty: 0.4, repetition_penalty: 1.1 }],
  ['with a bias and excluded tokens', { ...chat, logit_bias: { 65: 4, 66: -100 }, bad_words: ['the'] }],
  ['with allowed tokens', { ...chat, allowed_token_ids: [65, 66, 67, 68] }],
  ['of three choices', { ...chat, n: 3 }],
  [
    'with a schema',
    { ...chat, max_tokens: 40, response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
  ],
  ['with a regular expression', { ...chat, structured_outputs: { regex: '[a-f]{3,8}' } }],
  ['with choices', { ...chat, structured_outputs: { choice: ['yes', 'no', 'maybe'] } }],
  ['with a tool', { ...chat, max_tokens: 60, tools: [tool], tool_choice: 'required' }],
  ['with a least number of tokens', { ...chat, min_tokens: 10, logit_bias: { 0: 3 } }],
  ['with a stop string', { ...chat, max_tokens: 60, stop: ['e', 'a'] }],
  [
    'with the date in its prompt',
    { ...chat, chat_template: '{{ strftime_now("%Y-%m-%d %H:%M:%S") }}{{ messages[0].content }}' },
  ],
  [
    'that continues a message',
    {
      ...chat,
      messages: [...chat.messages, { role: 'assistant', content: 'It is' }],
      add_generation_prompt: false,
      continue_final_message: true,
    },
  ],
  ['streamed', { ...chat, stream: true }],
];

const texts: [name: string, body: object][] = [
  ['of two prompts', { model: 'tuned', prompt: ['One', 'Two, three'], max_tokens: 6, n: 2 }],
  ['of the best', { model: 'other', prompt: 'The sky', best_of: 4, n: 2, seed: 3 }],
  ['with an echo', { model: 'heddle/tiny', prompt: 'The sky', echo: true, logprobs: 1, temperature: 0.5 }],
];

async function callsOf(of = project): Promise<any[]> {
  return (await server.post('/calls/stream_query', { project_id: of, columns: ['id', 'op_name'] })).lines;
}

async function verify(body: object, of = project): Promise<any[]> {
  const { status, text, lines } = await server.post(`/v2/${of}/lineage/verify`, body);
  expect({ status, text }).toMatchObject({ status: 200 });
  return lines;
}

const recorded = async (count: number, of = project) => {
  await expect.poll(async () => (await callsOf(of)).length, { timeout: 20_000 }).toBe(count);
  return (await callsOf(of)).map(({ id }) => id as string);
};

test('answers are computed again to the same tokens, in any order and whatever drew them', async () => {
  const headers = { 'X-Heddle-Project': project };
  const sent = await Promise.all([
    ...chats.map(([, body]) => server.post('/v1/chat/completions', body, { headers })),
    ...texts.map(([, body]) => server.post('/v1/completions', body, { headers })),
    server.post('/completions/create', {
      project_id: project,
      inputs: { model: 'tuned', messages: user('Hi'), max_tokens: 6 },
    }),
  ]);
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
  const ask = { model: 'tuned', input: 'Hello', max_output_tokens: 8, temperature: 1 };
  const first = await server.post('/v1/responses', ask, { headers });
  const second = { ...ask, input: 'And then?', previous_response_id: first.json.id };
  expect((await server.post('/v1/responses', second, { headers })).status).toBe(200);

  const ids = await recorded(sent.length + 2);
  const lines = await verify({ call_ids: ids.toReversed() });
  expect(lines.map((line) => line.call_id)).toEqual(ids.toReversed());
  const odd = lines.filter(({ result, is_promised, message }) => result !== 'identical' || !is_promised || message);
  expect(odd).toEqual([]);
  expect(Math.max(...lines.map((line) => line.logprob_difference))).toBe(0);
  expect(await verify({ last: 3 })).toHaveLength(3);
});

test('another adapter gives a different answer, and the line says from which token on', async () => {
  const [id] = await newAnswer({ ...chat, temperature: 0 });
  const [line] = await verify({ call_ids: [id], model: 'other' }, answerProject);
  expect(line).toMatchObject({ result: 'different', is_promised: false, first_difference: { choice: 0 } });
  expect(line.logprob_difference).toBeGreaterThan(0.001);
  expect((await verify({ call_ids: [id], model: 'tuned' }, answerProject))[0].result).toBe('identical');
  const { status, json } = await server.post(`/v2/${answerProject}/lineage/verify`, { call_ids: [id], model: 'none' });
  expect({ status, json }).toMatchObject({ status: 404 });
});

let answerProject: string;
async function newAnswer(body: object, path = '/v1/chat/completions'): Promise<string[]> {
  answerProject = await server.newProject();
  const { status, text } = await server.post(path, body, { headers: { 'X-Heddle-Project': answerProject } });
  expect({ status, text }).toMatchObject({ status: 200 });
  return recorded(1, answerProject);
}

test('a request that cannot be made again is consistent if the model predicts its tokens as it did', async () => {
  const ask = { model: 'tuned', input: 'Hello', max_output_tokens: 8, temperature: 1 };
  await newAnswer(ask, '/v1/responses');
  const of = answerProject;
  const headers = { 'X-Heddle-Project': of };
  const { json } = await server.post('/v1/responses', ask, { headers });
  await server.post('/v1/responses', { ...ask, previous_response_id: json.id }, { headers });
  const ids = await recorded(3, of);
  await server.post('/calls/delete', { project_id: of, call_ids: [ids[1]] });
  const [line] = await verify({ call_ids: [ids[2]] }, of);
  expect(line).toMatchObject({ result: 'consistent', is_promised: false, message: expect.stringContaining('again') });
  expect(line.logprob_difference).toBeLessThan(0.001);
});

test('a changed record is different, and a call without an answer cannot be verified', async () => {
  const [id] = await newAnswer({ ...chat, temperature: 0 });
  const { call } = (await server.post('/call/read', { project_id: answerProject, id })).json;
  const copy = async (change: (call: any) => void) => {
    const changed = structuredClone(call);
    change(changed);
    const { op_name, started_at, ended_at, inputs, output, attributes, summary } = changed;
    const copied = { op_name, started_at, ended_at, inputs, output, attributes, summary };
    const own = crypto.randomUUID();
    const body = { batch: [{ ...copied, id: own, trace_id: own, project_id: answerProject }] };
    expect((await server.post(`/v2/${answerProject}/calls/complete`, body)).status).toBe(200);
    return (await verify({ call_ids: [own] }, answerProject))[0];
  };
  expect(await copy(() => {})).toMatchObject({ result: 'identical' });
  const token = await copy(({ output }) => {
    output.choices[0].token_ids[5] += 1;
  });
  expect(token).toMatchObject({ result: 'different', first_difference: { choice: 0, token: 5 } });
  const cannot = (reason: string) => ({ result: 'cannot', reason, message: expect.any(String) });
  const heddle = (change: object) => (copied: any) => Object.assign(copied.attributes.heddle, change);
  expect(await copy(heddle({ draws: { from: 'beams' } }))).toMatchObject(cannot('beams'));
  expect(await copy(heddle({ draws: { from: 'provider' } }))).toMatchObject(cannot('provider'));
  expect(await copy(heddle({ draws: { from: 'unreported' } }))).toMatchObject(cannot('vllm'));
  expect(await copy(heddle({ model: { id: 'gone', name: 'gone', adapter: null } }))).toMatchObject(
    cannot('files_missing'),
  );
  expect(await copy(heddle({ model: { ...call.attributes.heddle.model, adapter: 'gone' } }))).toMatchObject(
    cannot('files_missing'),
  );
  expect(await copy(heddle({ sampling: null }))).toMatchObject(cannot('no_record'));
  const digests = { ...call.attributes.heddle.digests, weights: '0'.repeat(64) };
  const { digests: faults, ...line } = await copy(heddle({ digests }));
  expect(line).toMatchObject(cannot('digest'));
  expect(faults).toEqual([
    {
      file: 'weights',
      names: ['model.safetensors'],
      recorded: '0'.repeat(64),
      found: call.attributes.heddle.digests.weights,
    },
  ]);
  const older = { ...call.attributes.heddle.engine, version: '0.0.1' };
  expect(await copy(heddle({ engine: older }))).toMatchObject({ result: 'identical', is_promised: false });
  const engine = await copy((copied) => {
    heddle({ engine: older })(copied);
    copied.output.choices[0].token_ids[5] += 1;
  });
  expect(engine).toMatchObject(cannot('engine'));
  const hostile = await copy(({ inputs }) => {
    inputs.messages = 'none';
  });
  expect(hostile).toMatchObject({ result: 'consistent' });
  expect((await verify({ call_ids: ['none'] }, answerProject))[0]).toMatchObject(cannot('not_found'));
});

test('one flipped bit in the weights of an adapter is reported with both digests', async () => {
  await loadAdapter('flipped', 3);
  const [id] = await newAnswer({ ...chat, model: 'flipped' });
  expect((await verify({ call_ids: [id] }, answerProject))[0].result).toBe('identical');
  const { call } = (await server.post('/call/read', { project_id: answerProject, id })).json;
  const { model, digests } = call.attributes.heddle;
  const folder = readdirSync(join(server.data, 'models')).find((name) => name.includes(model.adapter))!;
  const file = join(server.data, 'models', folder, 'adapter_model.safetensors');
  const bytes = readFileSync(file);
  bytes[bytes.length - 7]! ^= 1;
  writeFileSync(file, bytes);
  const [line] = await verify({ call_ids: [id] }, answerProject);
  expect(line).toMatchObject({ result: 'cannot', reason: 'digest', message: expect.stringContaining(digests.adapter) });
  expect(line.digests).toEqual([
    {
      file: 'adapter',
      names: expect.arrayContaining(['adapter_model.safetensors']),
      recorded: digests.adapter,
      found: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ]);
  expect(line.digests[0].found).not.toBe(digests.adapter);
});

test.each([
  [{}, 'give either call_ids or last'],
  [{ call_ids: [], last: 1 }, 'give either call_ids or last'],
  [{ last: 0 }, 'last'],
  [{ last: 2000 }, 'last'],
])('rejects %o', async (body, message) => {
  const { status, text } = await server.post(`/v2/${project}/lineage/verify`, body);
  expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining(message) });
});
