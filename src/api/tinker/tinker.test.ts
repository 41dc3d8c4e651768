import { gzipSync, zstdCompressSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ForwardBackwardRequestSchema } from '../../tinker/proto/tinker.generated.ts';
import { bytesOf } from '../../tinker/wire/floats.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    HEDDLE_TINKER_SESSIONS_MAX: '4',
    HEDDLE_TINKER_MODELS_MAX: '2',
    HEDDLE_TINKER_SEQUENCE_TOKENS_MAX: '64',
    HEDDLE_TRAINING_BODY_MAX_BYTES: '65536',
  });
});
afterAll(() => server.close());

const post = (path: string, body: unknown, options = {}) => server.post(`/api/v1/${path}`, body, options);
const key = () => ({ key: null, headers: { 'X-API-Key': `tml-${server.key}` } });

async function newSession(project?: string): Promise<string> {
  return (await post('create_session', { project_id: project })).json.session_id;
}

async function done(promise: { json: { request_id: string } }) {
  return (await post('retrieve_future', { request_id: promise.json.request_id })).json;
}

async function newModel(session: string, model_seq_id = 0): Promise<string> {
  const lora_config = { rank: 2, seed: 1 };
  const created = await post('create_model', {
    session_id: session,
    model_seq_id,
    base_model: 'heddle/tiny',
    lora_config,
  });
  return (await done(created)).model_id;
}

const finish = (session: string) => post(`sessions/${session}/finish`, {});

const targets = { data: [6, 7, 8], dtype: 'int64', shape: [3] };
const datum = {
  model_input: { chunks: [{ type: 'encoded_text', tokens: [5, 6, 7] }] },
  loss_fn_inputs: { target_tokens: targets },
};
const pass = (model_id: string, seq_id: number, input: object = {}) => ({
  ...{ model_id, seq_id },
  forward_backward_input: { data: [datum], loss_fn: 'cross_entropy', ...input },
});

describe('a model in training', () => {
  let session: string;
  let model: string;
  beforeAll(async () => {
    session = await newSession(await server.newProject());
    model = await newModel(session);
  });
  afterAll(() => finish(session));

  test('trains in JSON, as older clients send it, and steps', async () => {
    const scored = await done(
      await post('forward', { model_id: model, seq_id: 1, forward_input: { data: [datum], loss_fn: 'cross_entropy' } }),
    );
    const trained = await done(await post('forward_backward', pass(model, 2)));
    expect(trained).toEqual(scored);
    const [{ logprobs }] = trained.loss_fn_outputs;
    expect(logprobs).toMatchObject({ dtype: 'float32', shape: [3] });
    const sum = logprobs.data.reduce((total: number, each: number) => total - each, 0);
    expect(trained.metrics['loss:sum']).toBeCloseTo(sum, 4);
    const { metrics } = await done(await post('optim_step', { model_id: model, seq_id: 3, adam_params: {} }));
    expect(metrics).toEqual({
      ...{ 'heddle/step': 1, 'heddle/learning_rate': 1e-4, 'heddle/grad_norm': expect.any(Number) },
    });
  });

  test('counts a repeated request once, and refuses another one of its number', async () => {
    const first = await post('forward_backward', pass(model, 10));
    const again = await post('forward_backward', pass(model, 10));
    expect(again.json).toEqual(first.json);
    const other = await post('forward_backward', pass(model, 10, { loss_fn: 'ppo' }));
    expect([other.status, other.json.detail]).toEqual([409, 'Another request with the number 10 was sent before.']);
    const step = (seq_id: number) => post('optim_step', { model_id: model, seq_id, adam_params: {} });
    const { metrics } = await done(await step(11));
    expect((await done(await step(11))).metrics).toEqual(metrics);
    expect(await done(await step(12))).toMatchObject({
      error: expect.stringContaining('There is no gradient'),
      category: 'user',
    });
  });

  test('has the same result for each encoding of a body', async () => {
    const body = toBinary(
      ForwardBackwardRequestSchema,
      create(ForwardBackwardRequestSchema, {
        modelId: model,
        lossFn: 'cross_entropy',
        forwardOnly: true,
        data: [
          {
            modelInput: [{ chunk: { case: 'encodedText', value: { tokens: bytesOf(Int32Array.of(5, 6, 7)) } } }],
            lossFnInputs: {
              target_tokens: {
                encoding: { case: 'dense', value: bytesOf(BigInt64Array.of(6n, 7n, 8n)) },
                dtype: 2,
                shape: [3n],
              },
            },
          },
        ],
      }),
    );
    const send = async (bytes: Uint8Array, encoding?: string) => {
      const headers = { 'content-type': 'application/x-protobuf', ...(encoding && { 'content-encoding': encoding }) };
      return done(await post('forward_backward', bytes, { headers }));
    };
    const plain = await send(body);
    expect(plain.metrics['loss:sum']).toBeGreaterThan(0);
    expect(await send(zstdCompressSync(body), 'zstd')).toEqual(plain);
    expect(await send(gzipSync(body), 'gzip')).toEqual(plain);
  });

  test('names what is wrong with data', async () => {
    const long = { chunks: [{ tokens: new Array(65).fill(5) }] };
    const outcome = async (input: object) => done(await post('forward_backward', pass(model, 0, input)));
    expect(
      await done(await post('forward_backward', pass(model, 20, { data: [{ ...datum, model_input: long }] }))),
    ).toEqual({
      error: 'data[0].model_input has 65 tokens; at most 64 are reserved for a sequence.',
      category: 'user',
    });
    expect(await outcome({ data: [] })).toEqual({ error: 'data must not be empty.', category: 'user' });
    const garbage = await post('forward_backward', Buffer.from([255, 255]), {
      headers: { 'content-type': 'application/x-protobuf' },
    });
    expect([garbage.status, garbage.json.detail]).toEqual([
      400,
      expect.stringContaining('not a ForwardBackwardRequest'),
    ]);
  });

  test('rejects bodies that are too large', async () => {
    const data = new Array(3000).fill(datum);
    const { status } = await post('forward_backward', pass(model, 30, { data }));
    expect(status).toBe(413);
  });

  test('is unloaded with a checkpoint of its last state', async () => {
    const own = await newSession(await server.newProject());
    const id = await newModel(own);
    await post('forward_backward', pass(id, 1));
    await done(await post('optim_step', { model_id: id, seq_id: 2, adam_params: {} }));
    expect(await done(await post('unload_model', { model_id: id }))).toEqual({ model_id: id, type: 'unload_model' });
    expect((await post('optim_step', { model_id: id, seq_id: 3, adam_params: {} })).status).toBe(404);
    const run = (await server.get(`/api/v1/training_runs/${id}`)).json;
    const checkpoints = (await server.get(`/v1/preview/models/${run.model_id}/checkpoints`)).json;
    expect(checkpoints.data).toMatchObject([{ step: 1 }]);
    await finish(own);
  });
});

test('two clients train at once, and further models are refused until one ends', async () => {
  const sessions = [await newSession(), await newSession()];
  const models = await Promise.all(sessions.map((session) => newModel(session)));
  const trained = await Promise.all(models.map(async (id) => done(await post('forward_backward', pass(id, 1)))));
  expect(trained[0]).toEqual(trained[1]);
  const body = { session_id: sessions[0], model_seq_id: 1, base_model: 'heddle/tiny', lora_config: { rank: 2 } };
  const refused = await post('create_model', body);
  expect([refused.status, refused.json.detail]).toEqual([429, expect.stringContaining('HEDDLE_TINKER_MODELS_MAX')]);
  await finish(sessions[1]!);
  expect((await post('create_model', body)).status).toBe(200);
  await finish(sessions[0]!);
});

test('sessions are limited, and those of others are not found', async () => {
  const sessions = [];
  for (let i = 0; i < 4; i++) sessions.push(await newSession());
  const refused = await post('create_session', {});
  expect([refused.status, refused.json.detail]).toEqual([429, expect.stringContaining('HEDDLE_TINKER_SESSIONS_MAX')]);
  for (const session of sessions) await finish(session);
  expect((await post('session_heartbeat', { session_id: sessions[0] })).status).toBe(404);
});

test('keys begin with tml- in the header that clients send', async () => {
  expect((await post('client/config', { sdk_version: '1' }, key())).json).toMatchObject({
    parallel_fwdbwd_chunks: false,
  });
  const wrong = { key: null, headers: { 'X-API-Key': 'tml-wrong' } };
  expect((await post('client/config', { sdk_version: '1' }, wrong)).status).toBe(401);
});

test('results that are not known are gone', async () => {
  expect((await post('retrieve_future', { request_id: 'none' })).status).toBe(410);
});
