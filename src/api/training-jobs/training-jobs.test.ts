import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeOptimizer } from '../../engine/training/optimizer/state-file.ts';
import { queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const path = '/v1/preview/training-jobs';

async function newModel(): Promise<{ id: string; name: string; project: string }> {
  const project = await server.newProject();
  const [entity, name] = project.split('/');
  const body = { entity, project: name, name: 'agent', base_model: 'heddle/tiny' };
  const { id } = (await server.post('/v1/preview/models', body)).json;
  return { id, name: `wandb-artifact:///${project}/agent`, project };
}

/** Answers sampled from the base model, in the shape in which ART sends them. */
async function group(reward: (content: string, index: number) => number, n = 6) {
  const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
  const options = { max_tokens: 4, n, temperature: 1, seed: 5, logprobs: true, return_token_ids: true };
  const { json } = await server.post('/v1/chat/completions', { model: 'heddle/tiny', messages, ...options });
  const trajectories = json.choices.map((choice: any, index: number) => ({
    messages_and_choices: [...messages, choice],
    reward: reward(choice.message.content, index),
    metrics: { duration: 1 },
  }));
  return { trajectories, exceptions: [], metadata: {}, metrics: {}, logs: [] };
}

const sftPath = '/v1/preview/sft-training-jobs';

const readRun = `query ($entity: String, $project: String) { project(name: $project, entityName: $entity) {
  run(name: "agent") { state historyLineCount summaryMetrics history(minStep: 0, maxStep: 100, samples: 100) } } }`;

async function wandb(query: string, { project: path }: { project: string }) {
  const [entity, project] = path.split('/');
  return (await server.post('/graphql', { query, variables: { entity, project } })).json.data;
}

const say = (answer: string, question = 'What is your name?') => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ],
});

/** Lines as a URL that holds them. */
function inline(lines: unknown[]): string {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return `data:application/jsonl;base64,${Buffer.from(text).toString('base64')}`;
}

async function createSft(modelId: string, url: string, config: object | null = null, more: object = {}) {
  const body = { model_id: modelId, training_data_url: url, config, ...more };
  const { status, json } = await server.post(sftPath, body);
  expect([status, json]).toEqual([200, { id: expect.any(String) }]);
  return json.id as string;
}

async function create(modelId: string, groups: unknown[], config?: object): Promise<string> {
  const body = { model_id: modelId, trajectory_groups: groups, experimental_config: config };
  const { status, json } = await server.post(path, body);
  expect(status).toBe(200);
  return json.id;
}

/** The file of a job's checkpoint. */
function checkpointFile(jobId: string, name: string): Buffer {
  const folder = join(server.data, 'blobs', 'projects');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return readFileSync(join(folder, files.find((each) => each.endsWith(`${jobId}/${name}`))!));
}

/** All events of a job, once the last one is there. */
async function eventsOf(id: string): Promise<{ id: string; type: string; data: any }[]> {
  const read = async () => (await server.get(`${path}/${id}/events?limit=100`)).json.data;
  const last = async () => (await read()).at(-1)?.type;
  await expect.poll(last, { timeout: 60_000, interval: 200 }).toMatch(/training_(ended|failed)/);
  return read();
}

const checkpoints = async (modelId: string, query = '') =>
  (await server.get(`/v1/preview/models/${modelId}/checkpoints${query}`)).json;

describe('a job', () => {
  test('starts, makes a step for each row, ends, and lists its checkpoint [training 22 39 51 52]', async () => {
    const model = await newModel();
    const groups = [await group((_, index) => index % 2), await group((_, index) => Number(index < 2))];
    const id = await create(model.id, groups, { learning_rate: 1e-3, packed_sequence_length: 64 });
    const events = await eventsOf(id);
    const steps = events.filter(({ type }) => type === 'gradient_step');
    expect(events.map(({ type }) => type)).toEqual([
      'training_started',
      ...steps.map(() => 'gradient_step'),
      'training_ended',
    ]);
    expect(events[0]!.data).toMatchObject({ num_sequences: steps.length, num_groups_trainable: 2 });
    expect(steps.length).toBeGreaterThan(1);
    for (const { data } of steps) {
      expect(Object.values(data).every((value) => Number.isFinite(value))).toBe(true);
      expect(data['loss/learning_rate']).toBe(1e-3);
      expect(data['loss/grad_norm']).toBeGreaterThan(0);
    }
    // The sampler and the trainer compute the same model.
    expect(steps[0]!.data['loss/sampler_mismatch']).toBeLessThan(1e-4);
    const [checkpoint] = (await checkpoints(model.id)).data;
    expect(checkpoint).toMatchObject({ step: 1, metrics: { 'train/reward': expect.any(Number) } });
    expect((await server.get(`${path}/${id}`)).json).toMatchObject({ id, status: 'ended', type: 'rl' });
  });

  test('jobs run one after another, each from the checkpoint of the previous one [training 46 50]', async () => {
    const model = await newModel();
    const groups = [await group((_, index) => index % 2)];
    const ids = [await create(model.id, groups), await create(model.id, groups), await create(model.id, groups)];
    expect((await server.get(`${path}/${ids[2]}/events`)).json.data).toEqual([]);
    for (const id of ids) expect((await eventsOf(id)).at(-1)!.type).toBe('training_ended');
    const steps = (await checkpoints(model.id)).data.map(({ step }: { step: number }) => step);
    expect(steps).toEqual([1, 2, 3]);
    expect((await server.get(`${path}?model_id=${model.id}`)).json.data.map((job: any) => job.id)).toEqual(ids);
  });

  test('has the rank and learning rate of ART, which can grow with the results of a step [training 86]', async () => {
    const model = await newModel();
    const groups = [await group((_, index) => index % 2)];
    const rateOf = async (id: string) => (await eventsOf(id)).at(-2)!.data['loss/learning_rate'];
    const id = await create(model.id, groups);
    expect(await rateOf(id)).toBe(5e-6);
    expect(JSON.parse(checkpointFile(id, 'adapter_config.json').toString())).toMatchObject({ r: 8, lora_alpha: 16 });
    const scaled = await create(model.id, groups, { num_trajectories_learning_rate_multiplier_power: 0.5 });
    expect(await rateOf(scaled)).toBeCloseTo(5e-6 * Math.sqrt(6), 12);
  });

  test('makes a checkpoint without a step if there is nothing to learn from [training 55]', async () => {
    const model = await newModel();
    const id = await create(model.id, [await group(() => 1), { trajectories: [] }]);
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual(['warning', 'training_started', 'training_ended']);
    expect(events[0]!.data.message).toBe('Nothing is trained: the rewards of each group are equal.');
    expect(events[1]!.data).toMatchObject({ num_sequences: 0, num_groups_trainable: 0 });
    expect((await checkpoints(model.id)).data).toHaveLength(1);
  });

  test('fails without a checkpoint if none of its trajectories can be trained', async () => {
    const model = await newModel();
    const plain = await group((_, index) => index % 2);
    for (const { messages_and_choices: elements } of plain.trajectories) {
      elements[1] = { role: 'assistant', content: 'Yes' };
    }
    const long = await group((_, index) => index % 2);
    for (const { messages_and_choices: elements } of long.trajectories) {
      elements[0].content = 'word '.repeat(2000);
      delete elements[1].prompt_token_ids;
    }
    for (const [groups, message] of [
      [[plain], /^No trajectory can be trained\.$/],
      [[long], /^No trajectory can be trained\. A trajectory was skipped: it has more than \d+ tokens \(6 times\)\.$/],
    ] as const) {
      const events = await eventsOf(await create(model.id, [...groups]));
      expect(events.at(-1)).toMatchObject({
        type: 'training_failed',
        data: { error_message: expect.stringMatching(message) },
      });
    }
    expect((await checkpoints(model.id)).data).toEqual([]);
  });

  test('trains on messages with line separators of Unicode, as tools return them from the web', async () => {
    const model = await newModel();
    const sampled = await group((_, index) => index % 2);
    const result = { role: 'tool', tool_call_id: 'c1', content: 'one\u2028two\u2029three\u0085four' };
    for (const trajectory of sampled.trajectories) trajectory.messages_and_choices.unshift(result);
    const events = await eventsOf(await create(model.id, [sampled]));
    expect(events.at(-1)).toMatchObject({ type: 'training_ended' });
    expect(events.find(({ type }) => type === 'training_started')!.data).toMatchObject({ num_trajectories: 6 });
  });

  test('warns of unknown keys and untrainable choices [training 69]', async () => {
    const model = await newModel();
    const broken = await group((_, index) => index % 2);
    const { choices } = { choices: broken.trajectories.map((each: any) => each.messages_and_choices[1]) };
    delete choices[0].token_ids;
    choices[0].logprobs.content[0] = { token: 'no such token', bytes: null, logprob: -1, top_logprobs: [] };
    const events = await eventsOf(await create(model.id, [broken], { learning_rat: 1 }));
    const warnings = events.filter(({ type }) => type === 'warning').map(({ data }) => data.message);
    expect(warnings).toEqual([
      'experimental_config.learning_rat is unknown and has no effect.',
      'A choice was skipped: the vocabulary has no token "no such token".',
    ]);
  });

  test('fails with the reason if it diverges, and keeps the last checkpoint [training 54]', async () => {
    const model = await newModel();
    const groups = [await group((_, index) => index % 2)];
    await eventsOf(await create(model.id, groups));
    const last = await eventsOf(await create(model.id, groups, { learning_rate: 1e30, packed_sequence_length: 32 }));
    expect(last.at(-1)).toMatchObject({ type: 'training_failed', data: { error_message: expect.any(String) } });
    expect((await checkpoints(model.id)).data).toHaveLength(1);
    await eventsOf(await create(model.id, groups));
    expect((await checkpoints(model.id)).data).toHaveLength(2);
  });

  test('fails without a checkpoint when canceled', async () => {
    const model = await newModel();
    const groups = [await group((_, index) => index % 2)];
    const [first, second] = [await create(model.id, groups), await create(model.id, groups)];
    const canceled = await server.post(`${path}/${second}/cancel`, {});
    expect(canceled.json).toMatchObject({ id: second, status: 'failed' });
    expect((await eventsOf(second)).at(-1)!.data).toEqual({ error_message: 'The job was canceled.' });
    await eventsOf(first);
    expect((await checkpoints(model.id)).data).toHaveLength(1);
  });

  test('chats with its base model are answered while it trains', async () => {
    const model = await newModel();
    const id = await createSft(model.id, inline(Array(3000).fill(say('maybe'))), { batch_size: 1 });
    const read = async () => (await server.get(`${path}/${id}`)).json.status;
    const events = async () => (await server.get(`${path}/${id}/events?limit=2`)).json.data;
    await expect.poll(async () => (await events()).at(-1)?.type, { timeout: 30_000 }).toBe('gradient_step');
    for (const name of ['heddle/tiny', model.name]) {
      const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
      const { status } = await server.post('/v1/chat/completions', { model: name, messages, max_tokens: 4 });
      expect(status).toBe(200);
    }
    expect(await read()).toBe('running');
    await server.post(`${path}/${id}/cancel`, {});
    await expect.poll(read, { timeout: 10_000 }).toBe('failed');
  });

  test('is recorded as a call of its project, with the chats it was trained on', async () => {
    const model = await newModel();
    const made = await group((_, index) => index % 2);
    for (const [i, { messages_and_choices }] of made.trajectories.entries())
      messages_and_choices[1].call_id = `call-${i}`;
    await eventsOf(await create(model.id, [made]));
    const calls = async () => (await queryCalls(server, model.project)).calls;
    await expect.poll(async () => (await calls()).length, { timeout: 10_000 }).toBe(1);
    const [call] = await calls();
    expect(call).toMatchObject({ op_name: 'heddle.train', output: { step: 1 } });
    expect(call.inputs.rollouts.toSorted()).toEqual(['call-0', 'call-1', 'call-2', 'call-3', 'call-4', 'call-5']);
  });
});

describe('a supervised job', () => {
  test('makes a step for each batch, serves what it learned, and is a call of its project [training 43 44 56 89]', async () => {
    const model = await newModel();
    const lines = Array.from({ length: 23 }, () => say('I am Ada.'));
    const config = { batch_size: 2, learning_rate: Array.from({ length: 12 }, (_, i) => 0.01 - i * 5e-4) };
    const events = await eventsOf(await createSft(model.id, inline(lines), config));
    const steps = events.filter(({ type }) => type === 'gradient_step').map(({ data }) => data);
    expect(events.map(({ type }) => type)).toEqual([
      'training_started',
      ...steps.map(() => 'gradient_step'),
      'training_ended',
    ]);
    expect(events[0]!.data).toMatchObject({ num_sequences: 12, num_trajectories: 23, num_held_out_trajectories: 0 });
    for (const [i, data] of steps.entries()) {
      expect(Object.values(data).every((value) => Number.isFinite(value))).toBe(true);
      expect(data).toMatchObject({ 'data/step_num_trajectories': i < 11 ? 2 : 1, num_dropped_trajectories: 0 });
      expect(data['loss/learning_rate']).toBeCloseTo(0.01 - i * 5e-4, 10);
    }
    expect(steps.at(-1)!['loss/train']).toBeLessThan(0.2 * steps[0]!['loss/train']);
    expect((await checkpoints(model.id)).data).toMatchObject([
      { step: 1, metrics: { 'train/loss': expect.any(Number) } },
    ]);

    const messages = [{ role: 'user', content: 'What is your name?' }];
    const chat = { model: model.name, messages, max_tokens: 20, temperature: 0 };
    const answer = (await server.post('/v1/chat/completions', chat)).json.choices[0];
    expect(answer).toMatchObject({ message: { content: 'I am Ada.' }, finish_reason: 'stop' });
    const calls = async () => (await queryCalls(server, model.project)).calls;
    const training = async () => (await calls()).find(({ op_name }: any) => op_name === 'heddle.train');
    await expect.poll(training, { timeout: 10_000 }).toMatchObject({
      inputs: { type: 'sft', trajectories: 23, config: { training_data_url: 'data:', config: { batch_size: 2 } } },
      output: { step: 1 },
    });
  });

  test('a batch whose conversations are all too long reports a step with loss 0 [training 56]', async () => {
    const model = await newModel();
    const long = say('word '.repeat(1100));
    const events = await eventsOf(await createSft(model.id, inline([long, long, say('Hi'), say('Hi')])));
    expect(events.map(({ type }) => type)).toEqual([
      'warning',
      'training_started',
      'gradient_step',
      'gradient_step',
      'training_ended',
    ]);
    expect(events[2]!.data).toMatchObject({
      'loss/train': 0,
      'loss/grad_norm': 0,
      'loss/learning_rate': 5e-5,
      num_dropped_trajectories: 2,
    });
    expect(events[3]!.data['loss/train']).toBeGreaterThan(0);
  });

  test('reports the loss of a held-out share from before the first step to the last', async () => {
    const model = await newModel();
    const lines = Array.from({ length: 10 }, () => say('I am Ada.'));
    const settings = { experimental_config: { held_out_share: 0.2, held_out: 1 } };
    const events = await eventsOf(await createSft(model.id, inline(lines), { learning_rate: 0.01 }, settings));
    expect(events[0]!.data).toEqual({ message: 'experimental_config.held_out is unknown and has no effect.' });
    expect(events[1]!.data).toMatchObject({ num_sequences: 4, num_held_out_trajectories: 2 });
    const losses = events.filter(({ type }) => type === 'validation').map(({ data }) => data);
    expect(losses.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
    expect(losses[4]!['val/loss']).toBeLessThan(losses[0]!['val/loss']);
    expect((await checkpoints(model.id)).data[0].metrics['val/loss']).toBe(losses[4]!['val/loss']);
  });

  test('trains on the rows of a published dataset, and of a table', async () => {
    const model = await newModel();
    const table = { project_id: model.project, rows: [say('I am Ada.'), say('I am Bob.')] };
    const { digest } = (await server.post('/table/create', { table })).json;
    const rows = `weave:///${model.project}/table/${digest}`;
    const val = { _type: 'Dataset', _class_name: 'Dataset', _bases: ['Object', 'BaseModel'], name: 'talks', rows };
    await server.post('/obj/create', { obj: { project_id: model.project, object_id: 'talks', val } });
    const addresses = [`weave:///${model.project}/object/talks:latest`, rows];
    const ids = await Promise.all(addresses.map((url) => createSft(model.id, url)));
    for (const id of ids) {
      const events = await eventsOf(id);
      expect(events.at(-1)!.type).toBe('training_ended');
      expect(events[0]!.data).toMatchObject({ num_sequences: 1, num_trajectories: 2 });
    }
  });

  test('starts with a new optimizer after reinforcement learning and keeps it for later jobs [training 87]', async () => {
    const model = await newModel();
    const config = { packed_sequence_length: 32, learning_rate: 1e-4 };
    await eventsOf(await create(model.id, [await group((_, index) => index % 2)], config));
    for (const stepsBefore of [0, 1]) {
      const id = await createSft(model.id, inline([say('Hi')]));
      await eventsOf(id);
      expect(decodeOptimizer(checkpointFile(id, 'optimizer.safetensors')).step).toBe(stepsBefore + 1);
    }
  });

  test.each([
    [
      'lines that cannot be trained on',
      ['{', '{}', say('Hi')],
      {},
      /^The training data has lines .+ Line 1: .+ Line 2: /,
    ],
    [
      'fewer learning rates than batches',
      [say('a'), say('b'), say('c')],
      { learning_rate: [1e-4] },
      /1 value, and the/,
    ],
    ['nothing in it', [], {}, /^The training data is empty\.$/],
    [
      'only lines that are too long',
      [say('word '.repeat(2000))],
      {},
      /nothing that can be trained on: its conversations/,
    ],
  ])(
    'with %s fails before the first step, and makes no checkpoint [training 44 54]',
    async (_, lines, config, message) => {
      const model = await newModel();
      const events = await eventsOf(await createSft(model.id, inline(lines), config));
      expect(events).toMatchObject([
        { type: 'training_failed', data: { error_message: expect.stringMatching(message) } },
      ]);
      expect((await checkpoints(model.id)).data).toEqual([]);
    },
  );

  test.each([
    ['no address', {}, 422],
    ['an address of an unknown kind', { training_data_url: 'ftp://host/file' }, 422],
    ['a data: URL without a comma', { training_data_url: 'data:x' }, 422],
    ['a ref that is not of a dataset', { training_data_url: 'weave:///ent/p/call/1' }, 422],
    ['a dataset that is not there', { training_data_url: 'weave:///{project}/object/none:latest' }, 404],
    ['a project that is not there', { training_data_url: 'weave:///ent/none/object/none:latest' }, 404],
    ['an unknown model', { model_id: randomUUID(), training_data_url: 'data:,' }, 404],
    ['an empty batch', { training_data_url: 'data:,', config: { batch_size: 0 } }, 422],
    ['a batch size of another kind', { training_data_url: 'data:,', config: { batch_size: 'all' } }, 422],
    ['no learning rate in the list', { training_data_url: 'data:,', config: { learning_rate: [] } }, 422],
    ['a negative learning rate', { training_data_url: 'data:,', config: { learning_rate: [1, -1] } }, 422],
    ['turns of another kind', { training_data_url: 'data:,', config: { assistant_turns: 'first' } }, 422],
    ['no epoch', { training_data_url: 'data:,', experimental_config: { epochs: 0 } }, 422],
    [
      'a schedule for a list of learning rates',
      { training_data_url: 'data:,', config: { learning_rate: [1] }, experimental_config: { warmup_steps: 1 } },
      422,
    ],
    [
      'a negative step of its metrics',
      { training_data_url: 'data:,', config: { metric_logging: { enabled: true, target_training_step: -1 } } },
      422,
    ],
    ['everything held out', { training_data_url: 'data:,', experimental_config: { held_out_share: 1 } }, 422],
  ])('is rejected with %s', async (_, body: object, status) => {
    const model = await newModel();
    const filled = JSON.parse(JSON.stringify(body).replace('{project}', model.project));
    const answer = await server.post(sftPath, { model_id: model.id, ...filled });
    const error = status === 422 ? { error: { message: expect.any(String), type: 'invalid_request_error' } } : {};
    expect(answer).toMatchObject({ status, json: { detail: expect.anything(), ...error } });
  });

  test('logs its steps and their means to the wandb run of the model, after the rows of clients', async () => {
    const model = await newModel();
    const client = { files: { 'wandb-history.jsonl': { offset: 0, content: ['{"val/reward":1,"_step":4}'] } } };
    await wandb(
      'mutation ($entity: String, $project: String) { upsertBucket(input: { entityName: $entity, modelName: $project, name: "agent" }) { inserted } }',
      model,
    );
    await server.post(`/files/${model.project}/agent/file_stream`, client);
    const config = { learning_rate: 1e-3, metric_logging: { enabled: true, target_training_step: 7 } };
    const events = await eventsOf(await createSft(model.id, inline([say('a'), say('b'), say('c')]), config));
    expect(events[0]!.data).toMatchObject({ metric_logging: { run: 'agent', first_row: 1 } });
    const losses = events.flatMap(({ data }) => data['loss/train'] ?? []);

    const read = async () => (await wandb(readRun, model)).project.run;
    const { history, summaryMetrics, ...run } = await read();
    expect(history.map((row: string) => JSON.parse(row))).toMatchObject([
      { 'val/reward': 1 },
      { _step: 5, training_step: 7, 'sft/gradient_step': 1, 'sft/loss/train': losses[0] },
      { _step: 6, training_step: 7, 'sft/gradient_step': 2, 'sft/loss/train': losses[1] },
      { _step: 7, training_step: 7, 'loss/train': (losses[0] + losses[1]) / 2, 'data/step_num_gradient_steps': 2 },
    ]);
    expect(run).toEqual({ state: 'finished', historyLineCount: 4 });
    expect(JSON.parse(summaryMetrics)).toMatchObject({ 'sft/gradient_step': 2, 'train/accuracy': expect.any(Number) });

    await eventsOf(await createSft(model.id, inline(['no JSON']), config));
    expect(await read()).toMatchObject({ state: 'failed', historyLineCount: 4 });
  });

  test('accepts the older name of the URL, and null as the default [training 7]', async () => {
    const model = await newModel();
    const config = { batch_size: null, learning_rate: null, assistant_turns: null, metric_logging: null };
    const body = { model_id: model.id, training_folder_url: inline([say('Hi')]), config, experimental_config: null };
    const { json } = await server.post(sftPath, body);
    expect((await eventsOf(json.id)).at(-1)!.type).toBe('training_ended');
  });
});

describe('events', () => {
  test('are read page by page, after the last one seen [training 48 49]', async () => {
    const model = await newModel();
    const id = await create(model.id, [await group((_, index) => index % 2)], { packed_sequence_length: 32 });
    const events = await eventsOf(id);
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = (await server.get(`${path}/${id}/events?limit=1${after}`)).json;
      seen.push(...page.data.map((event: any) => event.id));
      if (!page.has_more) break;
      after = `&after=${page.last_id}`;
    }
    expect(seen).toEqual(events.map((event) => event.id));
    expect((await server.get(`${path}/${id}/events?after=${randomUUID()}`)).status).toBe(404);
    expect((await server.get(`${path}/${randomUUID()}/events`)).json).toEqual({ detail: 'Training job not found' });
  });
});

test('an untrained model has no checkpoints, and a job can be read [training 21 45]', async () => {
  const model = await newModel();
  expect(await checkpoints(model.id)).toEqual({ object: 'list', data: [], first_id: '', last_id: '', has_more: false });
  const id = await create(model.id, []);
  expect((await server.get(`${path}/${id}`)).json).toMatchObject({ id });
});

test.each([
  ['a limit of 0 [training 25]', 'limit=0', 422],
  ['a limit above 100 [training 25]', 'limit=101', 422],
  ['an unknown order [training 25]', 'order=up', 422],
  ['an unknown id of the last one seen [training 26]', `after=${randomUUID()}`, 404],
])('a list of checkpoints rejects %s', async (_, query, status) => {
  const model = await newModel();
  expect((await server.get(`/v1/preview/models/${model.id}/checkpoints?${query}`)).status).toBe(status);
});

test('checkpoints are listed in both orders and deleted by step, with what was served of them [training 23 24 28 29]', async () => {
  const model = await newModel();
  for (let i = 0; i < 3; i++) await eventsOf(await create(model.id, []));
  const newest = await checkpoints(model.id, '?limit=1&order=desc');
  expect(newest).toMatchObject({ data: [{ step: 3 }], has_more: true });
  const rest = await checkpoints(model.id, `?order=desc&after=${newest.last_id}`);
  expect(rest.data.map(({ step }: { step: number }) => step)).toEqual([2, 1]);
  const options = { method: 'DELETE' };
  const one = `/v1/preview/models/${model.id}/checkpoints`;
  const deleted = (await server.post(one, { steps: [1, 2, 9] }, options)).json;
  expect(deleted).toEqual({ deleted_count: 2, not_found_steps: [9] });
  expect((await checkpoints(model.id)).data).toMatchObject([{ step: 3 }]);

  const chat = (version: string) => {
    const messages = [{ role: 'user', content: 'Hi' }];
    return server.post('/v1/chat/completions', { model: `${model.name}:${version}`, messages, max_tokens: 1 });
  };
  expect([(await chat('step1')).status, (await chat('step3')).status]).toEqual([404, 200]);
  // An artifact that is found has no data to train on.
  const train = (version: string) =>
    server.post(sftPath, { model_id: model.id, training_data_url: `${model.name}:${version}` });
  expect([(await train('step1')).status, (await train('step3')).status]).toEqual([404, 400]);
});

test.each([
  ['an unknown model', { model_id: randomUUID(), trajectory_groups: [] }, 404],
  ['no groups', { model_id: randomUUID() }, 422],
  ['a non-numeric learning rate', { trajectory_groups: [], experimental_config: { learning_rate: 'fast' } }, 422],
  ['a negative learning rate', { trajectory_groups: [], experimental_config: { learning_rate: -1 } }, 422],
  ['an advantage balance beyond 1', { trajectory_groups: [], experimental_config: { advantage_balance: 2 } }, 422],
  ['two losses at once', { trajectory_groups: [], experimental_config: { ppo: true, loss_fn: 'cispo' } }, 422],
])('rejects %s', async (_, body, status) => {
  const model = await newModel();
  const answer = await server.post(path, { model_id: model.id, ...body });
  const error = status === 422 ? { error: { message: expect.any(String), type: 'invalid_request_error' } } : {};
  expect(answer).toMatchObject({ status, json: { detail: expect.anything(), ...error } });
});

test('steps continue from the highest step ever made, even after a deletion [training 30]', async () => {
  const model = await newModel();
  for (let i = 0; i < 2; i++) await eventsOf(await create(model.id, []));
  await server.post(`/v1/preview/models/${model.id}/checkpoints`, { steps: [2] }, { method: 'DELETE' });
  await eventsOf(await create(model.id, []));
  expect((await checkpoints(model.id)).data).toMatchObject([{ step: 1 }, { step: 3 }]);
});

test('logged trajectories add their metrics to the latest checkpoint, and replace those of their split [training 33 37 95]', async () => {
  const model = await newModel();
  await eventsOf(await create(model.id, []));
  const log = async (rewards: number[]) => {
    const trajectories = rewards.map((reward) => ({ messages_and_choices: [{ role: 'user', content: 'Hi' }], reward }));
    const body = { split: 'val', trajectory_groups: [{ trajectories }] };
    await server.post(`/v1/preview/models/${model.id}/log`, body);
    return (await checkpoints(model.id)).data[0].metrics;
  };
  expect(await log([1, 0])).toMatchObject({ 'val/reward': 0.5, 'val/reward_std_dev': 0.5 });
  expect(await log([1, 1])).toMatchObject({ 'val/reward': 1, 'val/reward_std_dev': 0 });
});

test('deletes a model with its checkpoints and jobs [training 10 19 20]', async () => {
  const model = await newModel();
  const id = await create(model.id, []);
  await eventsOf(id);
  await create(model.id, [await group((_, index) => index % 2)]);
  const one = `/v1/preview/models/${model.id}`;
  expect(await server.get(one, { method: 'DELETE' })).toMatchObject({ status: 200, json: { deleted_checkpoints: 1 } });
  expect((await server.get(`${path}/${id}/events`)).status).toBe(404);
  const body = { model: model.name, messages: [{ role: 'user', content: 'Hi' }] };
  expect((await server.post('/v1/chat/completions', body)).status).toBe(404);
});
