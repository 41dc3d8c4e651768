import { afterAll, beforeAll, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { jobsOf } from '../training-jobs/testing/jobs-of.ts';

let server: TestServer;
let project: string;
/** Calls that a job learns from, and the jobs of two steps. */
let rows: string[];
let steps: string[];
/** Answers of the first step, of the second step, and of the model without a step in its name. */
let answers: string[];

beforeAll(async () => {
  server = await startTestServer();
  project = await server.newProject();
});
afterAll(() => server.close());

let preparing: Promise<void> | undefined;
/** In the first test: only tests may wait for jobs. */
const prepared = () => {
  preparing ??= prepare();
  return preparing;
};

async function prepare(): Promise<void> {
  rows = await Promise.all(['One', 'Two', 'Three'].map((text) => say('heddle/tiny', text)));
  await server.post('/feedback/create', feedbackOn(rows[0]!, 'wandb.note.1', { note: 'Good' }));
  const judged = { runnable_ref: `weave:///${project}/op/judge:v1`, call_ref: `weave:///${project}/call/scoring` };
  await server.post(
    '/feedback/create',
    feedbackOn(rows[0]!, 'wandb.runnable.judge', { output: { score: 0.75 } }, judged),
  );
  steps = [await train(rows), await train(rows.slice(0, 1))];
  const name = `wandb-artifact:///${project}/agent`;
  answers = [await say(`${name}:step1`, 'Hi'), await say(`${name}:step2`, 'Hi'), await say(name, 'Hi')];
}

const feedbackOn = (call: string, feedback_type: string, payload: object, more: object = {}) => ({
  ...{ project_id: project, weave_ref: `weave:///${project}/call/${call}`, feedback_type, payload, ...more },
});

/** @returns the id of its call */
async function say(model: string, content: string): Promise<string> {
  const body = { model, messages: [{ role: 'user', content }], max_tokens: 4 };
  const before = new Set(await ids());
  const { status, text } = await server.post(
    '/v1/chat/completions',
    { ...body, user: content },
    { headers: { 'X-Heddle-Project': project } },
  );
  expect({ status, text }).toMatchObject({ status: 200 });
  const mine = async () =>
    (await newest()).find(
      (call) => !before.has(call.id) && call.inputs.user === content && call.inputs.model === model,
    );
  await expect.poll(mine, { timeout: 20_000 }).toBeDefined();
  return (await mine()).id;
}

const newest = async () => (await server.post('/calls/stream_query', { project_id: project })).lines;
const ids = async () => (await newest()).map(({ id }) => id as string);

async function train(chosen: string[]): Promise<string> {
  const wanted = { project_id: project, model: 'agent', base_model: 'heddle/tiny', chosen };
  const { status, text, json } = await server.post('/calls/train_sft', wanted);
  expect({ status, text }).toMatchObject({ status: 200 });
  await jobsOf(server).is(json.id, 'ended');
  return json.id;
}

const lineage = (body: object, of = project) => server.post(`/v2/${of}/lineage/query`, body);

test('an answer leads to its checkpoint, the job, the calls that it learned from, and who scored them', async () => {
  await prepared();
  const { status, json } = await lineage({ call_id: answers[0], limit: 2 });
  expect(status).toBe(200);
  const name = `wandb-artifact:///${project}/agent:step1`;
  const { adapter_id: id } = json.call.answer;
  expect(json.call).toEqual({
    id: answers[0],
    answer: { model: name, base_model_id: expect.any(String), adapter_id: id, policy: name },
    scores: [],
  });
  expect(json.checkpoint).toEqual({
    ...{ id, step: 1, model: 'agent', project, base_model: 'heddle/tiny', created_at: expect.any(String) },
  });
  expect(json.job).toMatchObject({ id: steps[0], type: 'sft', status: 'ended', created_by: 'ent' });
  expect(json.job.calls).toEqual({ total: 3, train: 3, validation: 0 });
  expect(json.before).toBeNull();
  const sorted = rows.toSorted();
  expect(json.rows.map((row: any) => row.call_id)).toEqual(sorted.slice(0, 2));
  expect(json.next).toBe(sorted[1]);
  const more = (await lineage({ call_id: answers[0], limit: 2, after: json.next })).json;
  expect([more.rows.map((row: any) => row.call_id), more.next]).toEqual([sorted.slice(2), null]);

  const scored = [...json.rows, ...more.rows].find((row: any) => row.call_id === rows[0]);
  expect(scored).toMatchObject({
    weight: 1,
    split: 'train',
    call: { op_name: 'heddle.chat.completions', adapter_id: null },
  });
  expect(scored.scores).toMatchObject([
    { feedback_type: 'wandb.note.1', payload: { note: 'Good' }, user: 'ent', judge_ref: null },
    {
      ...{ feedback_type: 'wandb.runnable.judge', payload: { output: { score: 0.75 } } },
      ...{ judge_ref: `weave:///${project}/op/judge:v1`, judge_call_ref: `weave:///${project}/call/scoring` },
    },
  ]);
});

test('a model without a step in its name leads to the checkpoint that answered, and from there to the one before', async () => {
  await prepared();
  const { json } = await lineage({ call_id: answers[2] });
  expect(json).toMatchObject({ checkpoint: { step: 2 }, job: { id: steps[1] }, before: { step: 1 } });
  const before = (await lineage({ checkpoint_id: json.before.id })).json;
  expect(before).toMatchObject({ call: null, checkpoint: { step: 1 }, job: { id: steps[0] }, before: null, uses: [] });
  await train(rows); // which the record of the answer is not about
  expect((await lineage({ call_id: answers[2] })).json.checkpoint.step).toBe(2);
});

test('a call leads to the jobs that were made from it, and to the answers of their checkpoints', async () => {
  await prepared();
  const { json } = await lineage({ call_id: rows[0] });
  expect(json).toMatchObject({ checkpoint: null, job: null, rows: [] });
  expect(json.call.scores).toHaveLength(2);
  const made = json.uses.filter(({ job }: any) => steps.includes(job.id));
  expect(made).toMatchObject([
    {
      job: { id: steps[1], model: 'agent' },
      weight: 1,
      split: 'train',
      checkpoint: { step: 2 },
      answers: { count: 2, has_more: false },
    },
    { job: { id: steps[0] }, checkpoint: { step: 1 }, answers: { count: 1 } },
  ]);
  expect(made[0].answers.newest.map(({ id }: any) => id)).toEqual([answers[2], answers[1]]);
  expect((await lineage({ call_id: rows[2] })).json.uses.map(({ job }: any) => job.id)).not.toContain(steps[1]);
});

test('checkpoints and calls of projects that a caller may not read are not found', async () => {
  await prepared();
  const config = readConfig({ data: server.data }, {});
  await askRunning(config, 'users.create', { name: 'stranger' });
  const { key } = (await askRunning(config, 'keys.create', { user: 'stranger' }))!.answer;
  const own = 'stranger/own';
  const answer = { headers: { 'X-Heddle-Project': own }, key };
  await server.post('/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }, answer);
  const { json } = await lineage({ call_id: answers[0] });
  const asked = (body: object) => server.post(`/v2/${own}/lineage/query`, body, { key });
  expect((await asked({ checkpoint_id: json.checkpoint.id })).status).toBe(404);
  expect((await asked({ call_id: answers[0] })).status).toBe(404);
  expect((await server.post(`/v2/${project}/lineage/query`, { call_id: answers[0] }, { key })).status).toBe(403);
});

test.each([
  [{}, 'give either call_id or checkpoint_id'],
  [{ call_id: 'a', checkpoint_id: 'b' }, 'give either call_id or checkpoint_id'],
  [{ call_id: 'a', limit: 101 }, 'limit'],
])('rejects %o', async (body, message) => {
  const { status, text } = await lineage(body);
  expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining(message) });
});

test.each([
  {
    type: 'dpo',
    line: (good: string, bad: string) => ({
      input: { messages: [{ role: 'user', content: 'Choose' }] },
      preferred_output: [{ role: 'assistant', content: 'Yes', call_id: good }],
      non_preferred_output: [{ role: 'assistant', content: 'No', call_id: bad }],
    }),
    settings: { hyperparameters: { batch_size: 1 } },
    weights: [1, -1],
  },
  {
    type: 'reinforcement',
    line: (call_id: string, second: string) => ({
      messages: [{ role: 'user', content: 'Answer' }],
      ...{ call_id, source_call: `weave:///${project}/call/${second}`, wanted: 'a word' },
    }),
    settings: {
      hyperparameters: { batch_size: 1 },
      grader: {
        ...{ type: 'text_similarity', name: 'like', evaluation_metric: 'fuzzy_match' },
        ...{ input: '{{ sample.output_text }}', reference: '{{ item.wanted }}' },
      },
    },
    weights: [0, 0],
  },
])('calls in files of $type lead to the model, and its answers to them', async ({ type, line, settings, weights }) => {
  const sources = [await say('heddle/tiny', `First of ${type}`), await say('heddle/tiny', `Second of ${type}`)];
  const form = new FormData();
  form.append('purpose', 'fine-tune');
  form.append('file', new Blob([JSON.stringify(line(sources[0]!, sources[1]!))]), 'data.jsonl');
  const headers = { 'x-heddle-project': project, authorization: `Bearer ${server.key}` };
  const uploaded = await fetch(`${server.url}/v1/files`, { method: 'POST', body: form, headers });
  const { id: training_file } = (await uploaded.json()) as { id: string };
  const path = '/v1/fine_tuning/jobs';
  const method = { type, [type]: settings };
  const made = await server.post(path, { model: 'heddle/tiny', training_file, method, seed: 3 }, { headers });
  const read = async () => (await server.get(`${path}/${made.json.id}`, { headers })).json;
  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toMatch(/succeeded|failed/);
  const job = await read();
  expect(job.error).toBeNull();
  const answer = await say(job.fine_tuned_model, 'Hi');
  const found = (await lineage({ call_id: answer })).json;
  const byId = new Map(found.rows.map((row: any) => [row.call_id, row.weight]));
  expect(sources.map((id) => byId.get(id))).toEqual(weights);
  const { uses } = (await lineage({ call_id: sources[1] })).json;
  expect(uses).toMatchObject([{ job: { id: found.job.id }, answers: { count: 1 } }]);
});
