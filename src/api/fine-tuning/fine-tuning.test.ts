import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeEach(async () => {
  project = await server.newProject();
});

const path = '/v1/fine_tuning/jobs';
const headers = () => ({ 'x-heddle-project': project });
const get = (to: string) => server.get(to, { headers: headers() });
const post = (to: string, body: unknown = undefined) => server.post(to, body, { headers: headers() });

const say = (answer: string, question = 'What is your name?') => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ],
});
const prefer = (preferred: string, other: string) => ({
  input: { messages: [{ role: 'user', content: 'What is your name?' }] },
  preferred_output: [{ role: 'assistant', content: preferred }],
  non_preferred_output: [{ role: 'assistant', content: other }],
});

function upload(lines: unknown[], purpose?: string): Promise<string> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return uploadBytes(Buffer.from(text), purpose);
}

async function uploadBytes(bytes: Buffer<ArrayBuffer>, purpose = 'fine-tune'): Promise<string> {
  const form = new FormData();
  form.append('purpose', purpose);
  form.append('file', new Blob([bytes]), 'data.jsonl');
  const authorization = `Bearer ${server.key}`;
  const sent = { method: 'POST', body: form, headers: { ...headers(), authorization } };
  const response = await fetch(`${server.url}/v1/files`, sent);
  return ((await response.json()) as { id: string }).id;
}

type Hyperparameters = Record<string, number | string>;

const supervised = (hyperparameters: Hyperparameters = {}) => ({ type: 'supervised', supervised: { hyperparameters } });

async function create(lines: unknown[], more: object = {}) {
  const body = { model: 'heddle/tiny', training_file: await upload(lines), ...more };
  const { status, json } = await post(path, body);
  expect({ status, json }).toMatchObject({ status: 200 });
  return json;
}

async function ended(id: string) {
  const read = async () => (await get(`${path}/${id}`)).json;
  const status = async () => (await read()).status;
  await expect.poll(status, { timeout: 60_000, interval: 200 }).toMatch(/succeeded|failed|cancelled/);
  return read();
}

async function answerOf(model: string, content = 'What is your name?'): Promise<string> {
  const body = { model, messages: [{ role: 'user', content }], temperature: 0, max_tokens: 12 };
  const { status, json } = await post('/v1/chat/completions', body);
  expect({ status, json }).toMatchObject({ status: 200 });
  return json.choices[0].message.content;
}

const messagesOf = async (id: string) =>
  (await get(`${path}/${id}/events?limit=1000`)).json.data.map(({ message }: { message: string }) => message).reverse();

describe('a supervised job', () => {
  test('trains, validates, and serves the model, its checkpoints and its results until the model is deleted', async () => {
    const validation_file = await upload([say('I am Ada.')]);
    const method = supervised({ n_epochs: 4, batch_size: 2, learning_rate_multiplier: 5 });
    const metadata = { team: 'a' };
    const job = await create(Array(6).fill(say('I am Ada.')), {
      validation_file,
      method,
      suffix: 'My ada',
      seed: 7,
      metadata,
    });
    expect(job).toEqual({
      id: expect.stringMatching(/^ftjob-[0-9a-f]{32}$/),
      object: 'fine_tuning.job',
      created_at: expect.any(Number),
      finished_at: null,
      estimated_finish: null,
      model: 'heddle/tiny',
      fine_tuned_model: null,
      organization_id: 'ent',
      status: expect.stringMatching(/queued|validating_files|running/),
      method,
      hyperparameters: method.supervised.hyperparameters,
      seed: 7,
      training_file: expect.stringMatching(/^file-/),
      validation_file,
      result_files: [],
      trained_tokens: null,
      error: null,
      integrations: [],
      metadata,
    });

    const done = await ended(job.id);
    expect(done).toMatchObject({ status: 'succeeded', trained_tokens: expect.any(Number), error: null });
    const model: string = done.fine_tuned_model;
    expect(model).toMatch(/^ft:heddle\/tiny:ent:My-ada:[0-9a-f]{12}$/);
    expect(await answerOf(model)).toBe('I am Ada.');
    expect(await answerOf('heddle/tiny')).not.toBe('I am Ada.');

    const { data: checkpoints } = (await get(`${path}/${job.id}/checkpoints`)).json;
    expect(checkpoints.map(({ step_number }: any) => step_number)).toEqual([12, 9, 6]);
    expect(checkpoints[0]).toMatchObject({
      id: expect.stringMatching(/^ftckpt_/),
      object: 'fine_tuning.job.checkpoint',
      fine_tuned_model_checkpoint: model,
      fine_tuning_job_id: job.id,
      metrics: { step: 12, train_loss: expect.any(Number), valid_loss: expect.any(Number) },
    });
    const { data: rest } = (await get(`${path}/${job.id}/checkpoints?after=${checkpoints[0].id}&limit=1`)).json;
    expect(rest).toEqual([checkpoints[1]]);
    const early = checkpoints[2].fine_tuned_model_checkpoint;
    expect(early).toBe(`${model}:ckpt-step-6`);
    await answerOf(early);

    const csv = (await get(`/v1/files/${done.result_files[0]}/content`)).text.trimEnd().split('\n');
    expect(csv[0]).toBe('step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy');
    const losses = csv.slice(1).map((line) => line.split(',').slice(0, 2).map(Number));
    expect(losses.map(([step]) => step)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(losses.at(-1)![1]).toBeLessThan(losses[0]![1]! / 4);
    const accuracies = csv.slice(1).map((line) => line.split(',').map(Number));
    expect(accuracies[0]![2]).toBeLessThan(accuracies.at(-1)![2]!);
    expect(accuracies.at(-1)!.slice(2)).toEqual([1, expect.any(Number), 1]);
    expect((await get(`/v1/files/${done.result_files[0]}`)).json).toMatchObject({ purpose: 'fine-tune-results' });

    const listed = async () => (await get('/v1/models')).json.data.find(({ id }: any) => id === model);
    expect(await listed()).toMatchObject({ owned_by: 'ent', parent: 'heddle/tiny' });
    expect((await get(`/v1/models/${encodeURIComponent(model)}`)).json).toEqual(await listed());
    expect((await server.get('/v1/models')).json.data.map(({ id }: any) => id)).not.toContain(model);

    const deleted = await server.get(`/v1/models/${encodeURIComponent(model)}`, { method: 'DELETE' });
    expect(deleted.json).toEqual({ id: model, object: 'model', deleted: true });
    for (const name of [model, early]) {
      const chat = { model: name, messages: [{ role: 'user', content: 'Hi' }] };
      expect(await post('/v1/chat/completions', chat)).toMatchObject({
        status: 404,
        json: { error: { param: 'model' } },
      });
      expect((await get(`/v1/models/${encodeURIComponent(name)}`)).status).toBe(404);
    }
    expect(await listed()).toBeUndefined();
    expect((await get(`${path}/${job.id}`)).json).toMatchObject({ status: 'succeeded', fine_tuned_model: model });
    expect((await get(`${path}/${job.id}/checkpoints`)).json.data).toEqual([]);
  });

  test('reports what it does in events, newest first', async () => {
    const job = await create([say('A.'), say('B.')], { method: supervised({ n_epochs: 2, batch_size: 2 }) });
    await ended(job.id);
    expect(await messagesOf(job.id)).toEqual([
      `Created fine-tuning job: ${job.id}`,
      'Fine-tuning job started',
      expect.stringMatching(/^Step 1\/2: training loss=\d+\.\d\d$/),
      'Checkpoint created at step 1',
      expect.stringMatching(/^Step 2\/2: training loss=\d+\.\d\d$/),
      expect.stringMatching(/^The job has successfully completed; new fine-tuned model created: ft:/),
    ]);
    const first = (await get(`${path}/${job.id}/events?limit=2`)).json;
    expect([first.has_more, first.data.length]).toEqual([true, 2]);
    expect(first.data[1]).toMatchObject({
      object: 'fine_tuning.job.event',
      level: 'info',
      type: 'metrics',
      data: { step: 2, total_steps: 2, train_loss: expect.any(Number) },
    });
    const next = (await get(`${path}/${job.id}/events?limit=2&after=${first.last_id}`)).json;
    expect(next.data[0].message).toBe('Checkpoint created at step 1');
  });

  test('chooses the hyperparameters that are left open, also in their older place', async () => {
    const lines = [say('A.'), say('B.')];
    const open = await create(lines, { method: { type: 'supervised' } });
    expect(open.hyperparameters).toEqual({ n_epochs: 3, batch_size: 2, learning_rate_multiplier: 1 });
    const older = await create(lines, { hyperparameters: { n_epochs: 1, batch_size: 'auto' } });
    expect(older.method.supervised.hyperparameters).toEqual({
      n_epochs: 1,
      batch_size: 2,
      learning_rate_multiplier: 1,
    });
    expect(older.seed).toEqual(expect.any(Number));
    const seen = (await get(`${path}?limit=1`)).json;
    expect([seen.data[0].id, seen.has_more]).toEqual([older.id, true]);
    expect((await get(`${path}?after=${older.id}`)).json.data.map(({ id }: any) => id)).toEqual([open.id]);
    for (const { id } of [open, older]) await post(`${path}/${id}/cancel`);
  });

  test('fails with the lines of a file that cannot be trained on', async () => {
    const broken = await create([say('A.'), '{', { messages: [] }]);
    expect(await ended(broken.id)).toMatchObject({
      status: 'failed',
      fine_tuned_model: null,
      error: {
        code: 'invalid_training_file',
        message: expect.stringMatching(/^The training data has lines .* Line 2: it is not JSON.* Line 3: messages/),
        param: 'training_file',
      },
    });
    const validation_file = await upload([say('A.'), {}]);
    const unvalidated = await create([say('A.')], { validation_file });
    expect((await ended(unvalidated.id)).error).toMatchObject({
      code: 'invalid_validation_file',
      message: expect.stringMatching(/^The validation data has lines .* Line 2: it has no messages/),
      param: 'validation_file',
    });
    expect((await messagesOf(broken.id)).at(-1)).toMatch(/^The training data has lines/);
  });
});

describe('a file', () => {
  const lines = Array(4)
    .fill(`${JSON.stringify(say('I am Ada.'))}\r\n`)
    .join('\r\n');
  const train = async (bytes: Buffer<ArrayBuffer>) => {
    const method = supervised({ n_epochs: 1 });
    const training_file = await uploadBytes(bytes);
    return (await post(path, { model: 'heddle/tiny', training_file, method })).json;
  };

  test('that is not JSON Lines in UTF-8 fails its own job, and those of other projects go on', async () => {
    const zeros = Buffer.concat([Buffer.from(lines), Buffer.alloc(512)]);
    const latin1 = Buffer.from(lines.replace('Ada', 'Ad\u00e9'), 'latin1');
    const cases: [Buffer<ArrayBuffer>, RegExp][] = [
      [
        Buffer.from(`\ufeff${lines}`, 'utf16le'),
        /data is not UTF-8: from offset 0 it looks like UTF-16\. Save it as UTF-8\.$/,
      ],
      [Buffer.from(lines, 'utf16le'), /it looks like UTF-16/],
      [zeros, /Line 8: it is not JSON: Expected a value at 0 but found "\\u0000"\.$/],
      [latin1, new RegExp(`the byte at offset ${latin1.indexOf(0xe9)} is 0xE9\\.`)],
      [gzipSync(lines), /it is compressed with gzip\. Unpack it first\.$/],
      [Buffer.from(JSON.stringify([say('A.')])), /Line 1: it begins a JSON list/],
    ];
    const jobs: { id: string; project: string }[] = [];
    for (const [bytes] of cases) {
      project = await server.newProject();
      jobs.push({ id: (await train(bytes)).id, project });
    }
    project = await server.newProject();
    const good = await train(Buffer.from(`\ufeff${lines}`));
    expect(await ended(good.id)).toMatchObject({ status: 'succeeded' });
    for (const [i, job] of jobs.entries()) {
      project = job.project;
      const { status, fine_tuned_model: model, error } = await ended(job.id);
      expect([status, model, error.code]).toEqual(['failed', null, 'invalid_training_file']);
      expect(error.message).toMatch(cases[i]![1]);
      expect((await get(`${path}/${job.id}/checkpoints`)).json.data).toEqual([]);
      expect((await messagesOf(job.id)).at(-1)).toBe(error.message);
    }
  });

  test('whose rows say what would not be trained fails with their lines and fields', async () => {
    const answer = (fields: object) => ({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', ...fields },
      ],
    });
    const call = { name: 'f', arguments: '{}' };
    const job = await create([
      say('A.'),
      answer({ content: null, function_call: call }),
      answer({ content: null, refusal: 'I cannot.' }),
      {
        messages: [
          { role: 'human', content: 'Hi' },
          { role: 'assistant', content: 'A.' },
        ],
      },
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'wizard', content: 'A.' },
        ],
      },
      answer({ contnet: 'A.' }),
      answer({ content: 'A.', weight: 2 }),
      answer({ content: 'A.', refusal: null, function_call: null, tool_calls: [] }),
    ]);
    const { status, error } = await ended(job.id);
    expect(status).toBe('failed');
    const places = [...error.message.matchAll(/Line (\d+): messages\.(\d+\.\w+)/g)];
    expect(places.map(([, line, field]) => `${line} ${field}`)).toEqual([
      '2 1.function_call',
      '3 1.refusal',
      '4 0.role',
      '5 1.role',
      '6 1.contnet',
      '7 1.weight',
    ]);
  });

  test.each([
    ['supervised', [say('word '.repeat(2000))], supervised(), /its conversations have more than \d+ tokens\.$/],
    ['dpo', [prefer('word '.repeat(2000), 'A')], { type: 'dpo' }, /its pairs have more than \d+ tokens\.$/],
    [
      'reinforcement',
      [{ messages: [{ role: 'user', content: 'word '.repeat(2000) }] }],
      { type: 'reinforcement', reinforcement: { grader: equals('{{ item.answer }}') } },
      /its prompts have \d+ or more tokens\.$/,
    ],
  ])('with nothing that can be trained on fails a %s job', async (_, rows, method, message) => {
    const job = await create(rows, { method });
    const done = await ended(job.id);
    expect(done).toMatchObject({ status: 'failed', fine_tuned_model: null, error: { code: 'invalid_training_file' } });
    expect(done.error.message).toMatch(/^The training data has nothing that can be trained on: /);
    expect(done.error.message).toMatch(message);
    expect((await get(`${path}/${job.id}/checkpoints`)).json.data).toEqual([]);
  });
});

function equals(reference: string) {
  return { type: 'string_check', name: 'g', input: '{{ sample.output_text }}', reference, operation: 'eq' };
}

test('a grader that names a field that does not exist says so, and a job that trains nothing makes no model', async () => {
  const prompts = Array(2).fill({ messages: [{ role: 'user', content: 'Hi' }], answer: 'A' });
  const hyperparameters = { n_epochs: 1, batch_size: 2, compute_multiplier: 0.25 };
  const method = { type: 'reinforcement', reinforcement: { grader: equals('{{ item.anwser }}'), hyperparameters } };
  const job = await create(prompts, { method });
  const done = await ended(job.id);
  expect(done).toMatchObject({ status: 'failed', fine_tuned_model: null });
  expect(done.error.message).toMatch(/^Nothing was trained: .* the same reward\.$/);
  const { data } = (await get(`${path}/${job.id}/events?limit=100`)).json;
  expect(data.filter(({ level }: any) => level === 'warn').map(({ message }: any) => message)).toEqual([
    'An answer cannot be graded, and its reward is 0: The variable {{ item.anwser }} has no value: there is no "anwser". There are: answer, messages.',
  ]);
  expect((await get(`${path}/${job.id}/checkpoints`)).json.data).toEqual([]);
});

test('a model trained on preferences comes to prefer them, from a fine-tuned model on', async () => {
  const both = [say('I am Ada.'), say('I am Bob.')];
  const first = await create(Array(8).fill(both).flat(), {
    method: supervised({ n_epochs: 4, learning_rate_multiplier: 3 }),
  });
  const { fine_tuned_model: start } = await ended(first.id);
  const pairs = Array(4).fill(prefer('I am Bob.', 'I am Ada.'));
  const hyperparameters = { n_epochs: 5, batch_size: 2, learning_rate_multiplier: 6, beta: 0.2 };
  const validation_file = await upload(pairs.slice(0, 1));
  const job = await create(pairs, { model: start, validation_file, method: { type: 'dpo', dpo: { hyperparameters } } });
  expect(job).toMatchObject({ model: start, method: { dpo: { hyperparameters } } });
  const { fine_tuned_model: model, ...done } = await ended(job.id);
  expect(done).toMatchObject({ status: 'succeeded' });
  expect(await answerOf(model)).toBe('I am Bob.');

  const { data } = (await get(`${path}/${job.id}/events?limit=1000`)).json;
  const losses = data
    .filter((event: any) => 'train_loss' in event.data)
    .map((event: any) => event.data)
    .reverse();
  expect(losses[0].train_loss).toBeCloseTo(Math.log(2), 4); // the model is its own reference at first
  expect(losses.at(-1).train_loss).toBeLessThan(0.5);
  expect(losses.at(-1)['preference/accuracy']).toBe(1);
  const validated = data.filter((event: any) => 'valid_loss' in event.data).map((event: any) => event.data.valid_loss);
  expect(validated.at(-1)).toBeCloseTo(Math.log(2), 4);
  expect(validated[0]).toBeLessThan(0.5);
});

test('a model that is rewarded by a grader gets higher rewards', async () => {
  const both = [say('yes', 'Agree?'), say('no', 'Agree?')];
  const first = await create(Array(8).fill(both).flat(), {
    method: supervised({ n_epochs: 4, learning_rate_multiplier: 3 }),
  });
  const { fine_tuned_model: start } = await ended(first.id);
  const prompts = Array(8).fill({ messages: [{ role: 'user', content: 'Agree?' }], wanted: { word: 'Yes' } });
  const validation_file = await upload(prompts.slice(0, 2));
  const grader = {
    type: 'string_check',
    name: 'agrees',
    input: '{{ sample.output_text }}',
    reference: '{{ item.wanted.word }}',
    operation: 'ilike',
  };
  const hyperparameters = {
    n_epochs: 2,
    batch_size: 2,
    learning_rate_multiplier: 30,
    eval_samples: 8,
    eval_interval: 4,
  };
  const method = { type: 'reinforcement', reinforcement: { grader, hyperparameters } };
  const job = await create(prompts, { model: start, validation_file, method, seed: 3 });
  expect(job.method.reinforcement).toEqual({
    grader,
    hyperparameters: { ...hyperparameters, compute_multiplier: 1, reasoning_effort: 'default' },
  });
  const done = await ended(job.id);
  expect(done).toMatchObject({ status: 'succeeded', error: null });
  const { data } = (await get(`${path}/${job.id}/events?limit=1000`)).json;
  const validated = data.flatMap((event: any) => event.data.valid_mean_reward ?? []).reverse();
  expect(validated).toHaveLength(3);
  expect(validated[0]).toBeLessThan(0.9);
  expect(validated.at(-1)).toBeGreaterThan(validated[0]);
  const steps = data.flatMap((event: any) => ('train_loss' in event.data ? [event.data] : [])).reverse();
  expect(steps).toHaveLength(8);
  expect(steps[0]['data/step_num_trajectories']).toBe(16);
  expect(await answerOf(done.fine_tuned_model, 'Agree?')).toBe('yes');
  const csv = (await get(`/v1/files/${done.result_files[0]}/content`)).text;
  expect(csv.split('\n')[0]).toMatch(/,train_mean_reward,valid_mean_reward$/);
});

test('preferences need a conversation and two answers', async () => {
  const bad = [
    prefer('A', 'B'),
    say('A.'),
    { ...prefer('A', 'B'), preferred_output: [{ role: 'user', content: 'A' }] },
  ];
  const job = await create(bad, { method: { type: 'dpo' } });
  expect((await ended(job.id)).error).toMatchObject({
    code: 'invalid_training_file',
    message: expect.stringMatching(
      /Line 2: input: .* Line 3: preferred_output: expected only messages of the role assi/,
    ),
  });
});

describe('a job can be', () => {
  test('canceled, which ends it without a model', async () => {
    const job = await create(Array(200).fill(say('I am Ada.')), { method: supervised({ n_epochs: 50 }) });
    const { json } = await post(`${path}/${job.id}/cancel`);
    expect(json).toMatchObject({ id: job.id, status: 'cancelled', fine_tuned_model: null, error: null });
    for (const action of ['cancel', 'pause', 'resume']) {
      expect(await post(`${path}/${job.id}/${action}`)).toMatchObject({ status: 400, json: { error: { code: 400 } } });
    }
  });

  test('paused and resumed, and continues with the step after the last', async () => {
    const method = supervised({ n_epochs: 30, batch_size: 2, learning_rate_multiplier: 2 });
    const job = await create(Array(4).fill(say('I am Ada.')), { method });
    const steps = async () => (await messagesOf(job.id)).filter((message: string) => message.startsWith('Step '));
    await expect.poll(steps, { timeout: 30_000, interval: 20 }).not.toEqual([]);
    expect((await post(`${path}/${job.id}/pause`)).json.status).toBe('queued');
    expect((await post(`${path}/${job.id}/pause`)).status).toBe(400);
    const other = await create([say('A.')], { method: supervised({ n_epochs: 1 }) });
    await ended(other.id); // jobs run one at a time, so the paused one has stopped
    const made = await steps();
    expect(made.length).toBeLessThan(60);
    await post(`${path}/${job.id}/resume`);
    const done = await ended(job.id);
    expect(done.status).toBe('succeeded');
    const all = await steps();
    expect(all.map((message: string) => message.split(':')[0])).toEqual(
      Array.from({ length: 60 }, (_, i) => `Step ${i + 1}/60`),
    );
    expect(all.slice(0, made.length)).toEqual(made);
    expect(await answerOf(done.fine_tuned_model)).toBe('I am Ada.');
  });

  test('canceled while it waits to continue, which deletes its copy of the data', async () => {
    const job = await create(Array(4).fill(say('I am Ada.')), { method: supervised({ n_epochs: 30, batch_size: 2 }) });
    await expect
      .poll(async () => (await messagesOf(job.id)).length, { timeout: 30_000, interval: 20 })
      .toBeGreaterThan(2);
    await post(`${path}/${job.id}/pause`);
    const other = await create(Array(200).fill(say('A.')), { method: supervised({ n_epochs: 50 }) });
    const status = async (id: string) => (await get(`${path}/${id}`)).json.status;
    await expect.poll(() => status(other.id), { timeout: 30_000, interval: 20 }).toBe('running');
    await post(`${path}/${job.id}/resume`);
    await post(`${path}/${job.id}/cancel`);
    expect(filesOf(job.id)).not.toEqual([]);
    await post(`${path}/${other.id}/cancel`);
    await expect.poll(() => filesOf(job.id), { timeout: 10_000 }).toEqual([]);
  });
});

/** The files that the server keeps for a job until its end. */
function filesOf(id: string): string[] {
  const uuid = id.replace(/^ftjob-(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const entries = readdirSync(server.data, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.parentPath.includes(`training-jobs/${uuid}`));
  return files.map(({ name }) => name);
}

describe('rejects', () => {
  test.each<[string, object, number, string | null]>([
    ['a model that is not served', { model: 'gpt-4o-mini' }, 400, 'model'],
    ['a fine-tuned model that does not exist', { model: 'ft:heddle/tiny:ent::0' }, 404, 'model'],
    ['a missing file', { training_file: `file-${'0'.repeat(32)}` }, 400, 'training_file'],
    ['a malformed file id', { training_file: '../secret' }, 400, 'training_file'],
    ['a missing validation file', { validation_file: 'file-none' }, 400, 'validation_file'],
    ['integrations', { integrations: [{ type: 'wandb', wandb: { project: 'p' } }] }, 400, 'integrations'],
    [
      'a grader in Python',
      { method: { type: 'reinforcement', reinforcement: { grader: { type: 'python', name: 'p', source: 'pass' } } } },
      400,
      'method.reinforcement.grader.type',
    ],
    [
      'reinforcement without a grader',
      { method: { type: 'reinforcement', reinforcement: {} } },
      400,
      'method.reinforcement.grader',
    ],
    ['an unknown method', { method: { type: 'magic' } }, 400, 'method.type'],
    ['no epochs', { method: supervised({ n_epochs: 0 }) }, 400, 'method.supervised.hyperparameters.n_epochs'],
    [
      'a beta that is too large',
      { method: { type: 'dpo', dpo: { hyperparameters: { beta: 2.1 } } } },
      400,
      'method.dpo.hyperparameters.beta',
    ],
    ['a suffix that is too long', { suffix: 'a'.repeat(65) }, 400, 'suffix'],
    ['a negative seed', { seed: -1 }, 400, 'seed'],
    ['metadata of numbers', { metadata: { a: 1 } }, 400, 'metadata.a'],
    [
      'too much metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, ''])) },
      400,
      'metadata',
    ],
  ])('%s', async (_, change, status, param) => {
    const body = { model: 'heddle/tiny', training_file: await upload([say('A.')]), ...change };
    const answer = await post(path, body);
    expect({ status: answer.status, json: answer.json }).toMatchObject({
      status,
      json: { error: { message: expect.any(String), param: expect.stringMatching(`^${param}`) } },
    });
    expect((await get(path)).json.data).toEqual([]);
  });

  test('a file that was uploaded for something else', async () => {
    const answer = await post(path, { model: 'heddle/tiny', training_file: await upload([say('A.')], 'evals') });
    expect(answer).toMatchObject({ status: 400, json: { error: { param: 'training_file' } } });
  });

  test('the deletion of a model that is not fine-tuned', async () => {
    const remove = (name: string) => server.get(`/v1/models/${name}`, { method: 'DELETE' });
    expect(await remove('heddle/tiny')).toMatchObject({ status: 403, json: { error: { param: 'model' } } });
    expect((await remove('none')).status).toBe(404);
    expect((await remove('ft:none')).status).toBe(404);
  });
});

test('lists the jobs of a project by metadata', async () => {
  const options = { method: supervised({ n_epochs: 1 }) };
  const [a, b, none] = [
    await create([say('A.')], { ...options, metadata: { team: 'a', run: '1' } }),
    await create([say('A.')], { ...options, metadata: { team: 'b' } }),
    await create([say('A.')], options),
  ];
  const idsOf = async (query: string) => (await get(`${path}?${query}`)).json.data.map(({ id }: any) => id);
  expect(await idsOf('metadata[team]=a&metadata[run]=1')).toEqual([a.id]);
  expect(await idsOf('metadata[team]=b')).toEqual([b.id]);
  expect(await idsOf('metadata=null')).toEqual([none.id]);
  expect(await idsOf('')).toEqual([none.id, b.id, a.id]);
  for (const { id } of [a, b, none]) await post(`${path}/${id}/cancel`);
});
