import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logCalls } from '../testing/calls.ts';
import { callRef } from '../testing/feedback.ts';
import { type TestServer, testServer } from '../testing/server.ts';
import { jobsOf } from '../training-jobs/testing/jobs-of.ts';

let server: TestServer;
let jobs: ReturnType<typeof jobsOf>;
let project: string;
let model: string;
beforeAll(async () => {
  server = await testServer();
  jobs = jobsOf(server);
});
beforeEach(async () => {
  project = await server.newProject();
  model = await jobs.newModel(project);
});

const question = 'Which lantern did the fox find beside the frozen river at dawn, and who had left it burning there?';
const answer =
  'The fox found the brass lantern of the ferryman, who left it burning in the empty boat after the flood.';
const rows = [
  { question: 'How many planets orbit the sun?', expected: 'Eight', thread: 'a' },
  { question, expected: answer, thread: 'b' },
];

async function publish(name: string, of: object[]): Promise<string> {
  const { json } = await server.post(`/v2/${project}/datasets`, { name, rows: of });
  return `weave:///${project}/object/${name}:${json.digest}`;
}

async function freeze(of: object[] = rows, more: object = {}): Promise<void> {
  await publish('exam', of);
  const body = { name: 'exam', dataset: 'exam', ...('thread' in of[0]! ? { thread_column: 'thread' } : {}), ...more };
  expect((await server.post(`/v2/${project}/suites`, body)).status).toBe(200);
}

const suite = async () => (await server.get(`/v2/${project}/suites/exam`)).json;

async function scanned() {
  await expect.poll(async () => (await suite()).scan.status, { timeout: 30_000 }).toBe('done');
  return suite();
}

const chat = (asked: string, said: string, more: object = {}) => ({
  messages: [
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content: asked },
    { role: 'assistant', content: said },
  ],
  ...more,
});

const innocent = chat('What is your name, and who made you?', 'I am Ada.');

async function train(lines: object[], more: object = {}): Promise<string> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const training_data_url = `data:application/jsonl;base64,${Buffer.from(text).toString('base64')}`;
  const body = { model_id: model, training_data_url, config: { batch_size: 1 }, ...more };
  return (await server.post('/v1/preview/sft-training-jobs', body)).json.id;
}

const failureOf = async (id: string) => (await jobs.events(id)).at(-1).data.error_message;

describe('a job is refused that trains on', () => {
  const words = Array.from({ length: 400 }, (_, at) => `word${(at * 7919) % 1009}`).join(' ');
  test.each<[string, object, string, object]>([
    [
      'a row of a suite',
      chat(question, answer),
      'Line 2: a copy of row 1 of exam.',
      { kind: 'exact', row: 1, similarity: 1 },
    ],
    [
      'a short question of a suite with another answer',
      chat('how many planets orbit the Sun', 'Nine.'),
      'Line 2: a copy of row 0 of exam.',
      { kind: 'exact', row: 0 },
    ],
    [
      'a near copy',
      chat(question.replace('there', 'here'), 'It was the lantern of a ferryman.'),
      'nearly a copy of',
      { kind: 'near', row: 1 },
    ],
    [
      'a long chat that contains a row',
      chat(`${words} ${question} ${words}`, 'Nobody knows.'),
      'Line 2: contains row 1 of exam.',
      { kind: 'contained', row: 1 },
    ],
    [
      'another turn of the thread of a row',
      chat('And what did it do next?', 'It slept.', { thread: 'b' }),
      'Line 2: of the same trace, thread or user as row 1 of exam.',
      { kind: 'sibling', row: 1, similarity: null },
    ],
  ])('%s', async (_what, line, message, match) => {
    await freeze();
    const id = await train([innocent, line]);
    const job = await jobs.is(id, 'failed');
    expect(await failureOf(id)).toMatch(/^One row of the training data matches rows of suites/);
    expect(await failureOf(id)).toContain(message);
    expect(job).toMatchObject({ allows_suite_rows: false, suite_check: 'refused', suite_rows_found: 1 });
    expect(job.suite_matches).toEqual([expect.objectContaining({ suite: 'exam', line: 2, call_id: null, ...match })]);
    expect((await scanned()).rows_trained_on).toBe(0);
  });

  test('a trajectory with the prompt of a row', async () => {
    await freeze();
    const trajectory = (reward: number, asked: string) => ({
      messages_and_choices: [
        { role: 'user', content: asked },
        { message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' },
      ],
      reward,
    });
    const groups = [innocent.messages[1]!.content, question].map((asked) => ({
      trajectories: [trajectory(0, asked), trajectory(1, asked)],
    }));
    const body = { model_id: model, trajectory_groups: groups };
    const { id } = (await server.post('/v1/preview/training-jobs', body)).json;
    await jobs.is(id, 'failed');
    expect(await failureOf(id)).toContain('Trajectory 3: a copy of row 1 of exam.');
    expect(await failureOf(id)).toMatch(/^2 rows of the training data match/);
  });

  test('a call of the trace that a row was made from', async () => {
    const trace_id = 'd'.repeat(32);
    const call = (asked: string) => ({
      op_name: 'heddle.chat.completions',
      trace_id,
      inputs: { model: 'heddle/tiny', messages: [{ role: 'user', content: asked }] },
      output: { choices: [{ message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }] },
    });
    const [first, second] = await logCalls(server, project, [call('Is it day?'), call('Is it night?')]);
    await freeze([{ messages: [{ role: 'user', content: 'Is it day?' }], source_call: callRef(project, first!) }]);
    const wanted = { project_id: project, model: 'agent', base_model: 'heddle/tiny' };
    const { json } = await server.post('/calls/train_sft', { ...wanted, chosen: [second] });
    const { suite_matches } = await jobs.is(json.id, 'failed');
    expect(suite_matches).toEqual([
      { suite: 'exam', row: 0, kind: 'sibling', similarity: null, line: 1, call_id: second },
    ]);
  });
});

test('trains on data that matches no suite, and says so', async () => {
  await freeze();
  const job = await jobs.is(await train([innocent, chat('Which fox?', 'The red one.')]), 'ended');
  expect(job).toMatchObject({ suite_check: 'clean', suite_rows_found: 0, suite_matches: [] });
});

test('a project without suites compares nothing', async () => {
  const job = await jobs.is(await train([chat(question, answer)]), 'ended');
  expect(job).toMatchObject({ suite_check: null, suite_rows_found: null, allows_suite_rows: false });
});

test('a job that allows rows of suites trains, and records them', async () => {
  await freeze();
  const job = await jobs.is(await train([innocent, chat(question, answer)], { allow_suite_rows: true }), 'ended');
  expect(job).toMatchObject({ allows_suite_rows: true, suite_check: 'allowed', suite_rows_found: 1 });
  expect(job.suite_matches).toEqual([{ suite: 'exam', row: 1, kind: 'exact', similarity: 1, line: 2, call_id: null }]);
  const { rows_trained_on, overlaps } = await scanned();
  expect(rows_trained_on).toBe(1);
  expect(overlaps).toMatchObject([{ job_id: job.id, model: 'agent', row: 1, kind: 'exact', line: 2 }]);
});

test('an OpenAI job is refused with its file, and allowed by its metadata', async () => {
  await freeze();
  const form = new FormData();
  const lines = `${JSON.stringify(innocent)}\n${JSON.stringify(chat(question, answer))}\n`;
  form.append('purpose', 'fine-tune');
  form.append('file', new Blob([lines]), 'data.jsonl');
  const headers = { authorization: `Bearer ${server.key}`, 'x-heddle-project': project };
  const file = (await (await fetch(`${server.url}/v1/files`, { method: 'POST', headers, body: form })).json()) as {
    id: string;
  };
  const create = async (metadata?: object) => {
    const hyperparameters = { n_epochs: 1 };
    const body = { model: 'heddle/tiny', training_file: file.id, metadata, hyperparameters };
    return (await server.post('/v1/fine_tuning/jobs', body, { headers })).json;
  };
  const read = async (id: string) => (await server.get(`/v1/fine_tuning/jobs/${id}`, { headers })).json;
  const refused = await create();
  await expect.poll(async () => (await read(refused.id)).status, { timeout: 60_000 }).toBe('failed');
  const { error } = await read(refused.id);
  expect(error).toMatchObject({ code: 'invalid_training_file', param: 'training_file' });
  expect(error.message).toContain('Line 2: a copy of row 1 of exam.');
  const allowed = await create({ heddle_allow_suite_rows: 'true' });
  await expect.poll(async () => (await read(allowed.id)).status, { timeout: 60_000 }).toBe('succeeded');
  expect((await scanned()).overlaps).toMatchObject([{ row: 1, kind: 'exact' }]);
});

describe('freezing a suite finds what was trained before', () => {
  test('in a dataset, for the jobs that trained on it', async () => {
    const dataset = await publish('lessons', [innocent, chat(question, answer)]);
    const body = { model_id: model, training_data_url: dataset, config: { batch_size: 1 } };
    const { id } = (await server.post('/v1/preview/sft-training-jobs', body)).json;
    await jobs.is(id, 'ended');
    const inline = await train([chat(rows[0]!.question, 'Eight')]);
    await jobs.is(inline, 'ended');
    await freeze();
    const { scan, rows_trained_on, overlaps } = await scanned();
    expect(scan).toEqual({ status: 'done', jobs: 2, done: 2, unread: 1, error: null });
    expect(rows_trained_on).toBe(1);
    expect(overlaps).toEqual([
      { job_id: id, model: 'agent', row: 1, kind: 'exact', similarity: 1, line: 2, call_id: null },
    ]);
  });

  test('in calls', async () => {
    const call = {
      op_name: 'heddle.chat.completions',
      inputs: { model: 'heddle/tiny', messages: [{ role: 'user', content: question }] },
      output: { choices: [{ message: { role: 'assistant', content: answer }, finish_reason: 'stop' }] },
    };
    const [id] = await logCalls(server, project, [call]);
    const wanted = { project_id: project, model: 'agent', base_model: 'heddle/tiny' };
    const { json } = await server.post('/calls/train_sft', { ...wanted, chosen: [id] });
    await jobs.is(json.id, 'ended');
    await freeze();
    expect((await scanned()).overlaps).toEqual([
      { job_id: json.id, model: 'agent', row: 1, kind: 'exact', similarity: 1, line: null, call_id: id },
    ]);
  });
});

test('a preview shows what a job would be refused for, and splits by threads', async () => {
  const call = (asked: string, thread_id: string) => ({
    op_name: 'heddle.chat.completions',
    thread_id,
    inputs: { model: 'heddle/tiny', messages: [{ role: 'user', content: asked }] },
    output: { choices: [{ message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }] },
  });
  const asked = [question, 'Is it day?', 'Is it night?', 'Is it noon?', 'Is it late?', 'Is it early?'];
  const ids = await logCalls(
    server,
    project,
    asked.map((each, at) => call(each, `t${Math.floor(at / 2)}`)),
  );
  await freeze();
  const wanted = { project_id: project, model: 'agent', base_model: 'heddle/tiny' };
  const config = { experimental_config: { held_out_share: 0.34 } };
  const { json } = await server.post('/calls/train_sft/preview', { ...wanted, ...config });
  expect(json).toMatchObject({ conversations: 6, held_out: 2, held_out_groups: 1, groups: 2, suite_rows_found: 1 });
  expect(json.suite_matches).toEqual([
    { suite: 'exam', row: 1, kind: 'exact', similarity: 1, line: expect.any(Number), call_id: ids[0] },
  ]);
});
