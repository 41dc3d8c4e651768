import { setTimeout as sleep } from 'node:timers/promises';
import { completeOf } from '../../src/api/testing/calls.ts';
import type { Heddle } from '../harness/heddle.ts';
import { type Client, openClient } from '../kills/client.ts';
import { Ledger } from '../kills/ledger.ts';
import { writers } from '../kills/writers.ts';
import { feedbackOn, spansOf } from './bodies.ts';

export const project = 'ent/moved';

/** The ids of what every kind of read finds. */
export type Ids = Awaited<ReturnType<typeof fillKnown>> & { outputItem: string };

/** Writes something of everything, and waits until no job works on it. @returns what must still hold after a move */
export async function fill(heddle: Heddle, data: string): Promise<{ ids: Ids; ledger: Ledger }> {
  const client = openClient(heddle, data);
  const ledger = new Ledger();
  for (const write of Object.values(writers)) {
    for (let i = 0; i < 2; i++) await write(client, project, ledger);
  }
  const known = await fillKnown(client);
  await untilQuiet(client, known);
  const items = await client.ask('GET', `/v1/evals/${known.openaiEval}/runs/${known.openaiRun}/output_items`);
  return { ids: { ...known, outputItem: items.data[0].id }, ledger };
}

async function fillKnown(client: Client) {
  const post = (path: string, body: object) => client.ask('POST', path, body);
  const v2 = (path: string, body: object) => post(`/v2/${project}${path}`, body);
  const [entity, name] = project.split('/');
  const named = { project_id: project };
  const root = completeOf(project, {
    ...{ thread_id: 'thread', turn_id: 'turn', display_name: 'naïve 🧵', wb_run_id: `${project}/run` },
    inputs: { messages: [{ role: 'user', content: 'Hi' }], model: 'gpt-4o', big: 12345678901234567890n.toString() },
    output: { choices: [{ message: { role: 'assistant', content: 'Ho' } }] },
    summary: { usage: { 'gpt-4o': { requests: 1, prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } } },
  });
  const child = completeOf(project, { trace_id: root.trace_id, parent_id: root.id, exception: 'Error: no' });
  await v2('/calls/complete', { batch: [root, child] });
  await post('/call/update', { ...named, call_id: child.id, display_name: 'renamed' });
  await post('/feedback/create', feedbackOn(project, root.id, 'wandb.note.1', { note: 'good' }));
  await post('/feedback/create', feedbackOn(project, root.id, 'wandb.reaction.1', { emoji: '👍' }));
  await post('/otel/v1/traces', spansOf(project));
  await post('/agents/otel/v1/traces', spansOf(project));
  const costs = { 'gpt-4o': { prompt_token_cost: 0.1, completion_token_cost: 1e-7 } };
  await post('/cost/create', { ...named, costs });

  const { digest } = await post('/obj/create', {
    obj: { ...named, object_id: 'mine', val: { messages: [{ role: 'user', content: 'a' }] } },
  });
  await client.ask('PUT', '/objs/mine/aliases', { ...named, digest, aliases: ['best'] });
  await client.ask('PUT', `/objs/mine/versions/${digest}/tags`, { ...named, tags: ['tag'] });
  await post('/link_to_registry', {
    ref: `weave:///${project}/object/mine:${digest}`,
    target: { portfolio_name: 'p', entity_name: entity, project_name: 'wandb-registry-x' },
  });
  const table = await post('/table/create', {
    table: { ...named, rows: Array.from({ length: 50 }, (_, n) => ({ n, text: `row ${n}` })) },
  });
  const file = await client.upload(project, 'the text of a file');
  await client.ask('PUT', '/secrets', {
    ...named,
    name: 'OPENAI_API_KEY',
    value: 'sk-secret',
    hosts: ['api.openai.com'],
  });

  const op = await v2('/ops', { name: 'my-op', source_code: 'def my_op(): ...' });
  const dataset = await v2('/datasets', { name: 'cities', rows: [{ q: 'Bern?' }, { q: 'Rome?' }] });
  await v2('/suites', { name: 'exam', dataset: 'cities' });
  const gate = await v2('/gates', {
    ...{ suite: 'exam', candidate: 'heddle/tiny', incumbent: 'heddle/tiny', scorers: ['regex:^B'] },
    model_params: { messages_template: [{ role: 'user', content: '{q}' }], max_tokens: 2 },
    target: { metric: 'regex:^B', gain: 0.1 },
  });
  const scorer = await v2('/scorers', { name: 'exact', op_source_code: 'def score(): ...' });
  const model = await v2('/models', { name: 'model', source_code: 'class M: ...' });
  const evaluation = await v2('/evaluations', {
    name: 'evaluation',
    dataset: dataset.dataset_ref ?? dataset.ref ?? 'd',
  });
  const ref = (kind: string, made: Record<string, string>) =>
    `weave:///${project}/object/${made.object_id ?? kind}:${made.digest}`;
  const run = await v2('/evaluation_runs', { evaluation: ref('evaluation', evaluation), model: ref('model', model) });
  const prediction = await v2('/predictions', {
    model: ref('model', model),
    inputs: { q: 'Bern?' },
    output: 'yes',
    evaluation_run_id: run.evaluation_run_id,
  });
  const score = await v2('/scores', {
    prediction_id: prediction.prediction_id,
    scorer: ref('exact', scorer),
    value: 0.1,
    evaluation_run_id: run.evaluation_run_id,
  });
  await v2(`/predictions/${prediction.prediction_id}/finish`, {});
  await v2(`/evaluation_runs/${run.evaluation_run_id}/finish`, { summary: { exact: { mean: 0.1 } } });

  await v2('/policies', {
    ...{ name: 'bot', variants: [{ name: 'now', model: 'heddle/tiny' }], incumbent: 'now' },
    traffic: { kind: 'split', shares: { now: 1 } },
    scorers: [{ reward: 'liked', window_seconds: 60 }],
  });
  await v2('/loops', {
    ...{ name: 'cities', chats: { where: 'op_name~none' }, scorer: { reward: 'thumbs' }, method: { kind: 'sft' } },
    ...{ model: 'agent', suite: 'exam', rollout: { policy: 'bot', stages: [] } },
    gate: { scorers: ['regex:^B'], target: { metric: 'regex:^B', gain: 0.1 } },
  });
  await v2('/loops/cities/turns', {});
  const queue = await post('/annotation_queues', { ...named, name: 'queue', scorer_refs: [] });
  const items = `/annotation_queues/${queue.id}/items`;
  await post(items, { ...named, call_ids: [root.id, child.id], display_fields: ['inputs'] });

  const trained = await post('/v1/preview/models', { entity, project: name, name: 'agent', base_model: 'heddle/tiny' });
  const uploaded = await upload(client, chats);
  const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 1, batch_size: 3 } } };
  const tuning = await post('/v1/fine_tuning/jobs', {
    model: 'heddle/tiny',
    training_file: uploaded,
    method,
    suffix: 'tuned',
  });
  const sft = await post('/v1/preview/sft-training-jobs', {
    model_id: trained.id,
    training_data_url: `data:application/jsonl,${encodeURIComponent(chats)}`,
  });
  const response = await post('/v1/responses', {
    input: 'Hi',
    max_output_tokens: 2,
    temperature: 0,
    metadata: { a: 'b' },
  });
  const openaiEval = await post('/v1/evals', {
    name: 'eval',
    data_source_config: { type: 'custom', item_schema: { type: 'object' } },
    testing_criteria: [
      { type: 'string_check', name: 'same', operation: 'eq', input: '{{item.a}}', reference: '{{item.b}}' },
    ],
  });
  const content = [{ item: { a: 'x', b: 'x' } }, { item: { a: 'x', b: 'y' } }];
  const openaiRun = await post(`/v1/evals/${openaiEval.id}/runs`, {
    name: 'run',
    data_source: { type: 'jsonl', source: { type: 'file_content', content } },
  });
  const spans = await client.try('POST', '/calls/stream_query', {
    ...named,
    filter: { op_names: [`weave:///${project}/op/span:*`] },
  });
  const objects = { op, dataset, scorer, model, evaluation };
  return {
    ...{
      gate: gate.id,
      root: root.id,
      child: child.id,
      trace: root.trace_id,
      digest,
      table: table.digest,
      row: table.row_digests[0],
      file,
    },
    versions: Object.fromEntries(
      Object.entries(objects).map(([kind, made]) => [kind, { id: made.object_id, digest: made.digest }]),
    ),
    ...{ run: run.evaluation_run_id, prediction: prediction.prediction_id, score: score.score_id, queue: queue.id },
    ...{ trained: trained.id, sft: sft.id, uploaded, tuning: tuning.id, response: response.id },
    tinkerRun: await trainWithTinker(client),
    ...{ openaiEval: openaiEval.id, openaiRun: openaiRun.id, span: [spans.json].flat()[0].id as string },
  };
}

/** A run of the Tinker API, which has ended, with weights named `state`. */
async function trainWithTinker(client: Client): Promise<string> {
  const post = (path: string, body: object) => client.ask('POST', `/api/v1/${path}`, body);
  const done = async (path: string, body: object) => {
    const { request_id } = await post(path, body);
    for (const until = Date.now() + 60_000; Date.now() < until; ) {
      const { json, status } = await client.try('POST', '/api/v1/retrieve_future', { request_id });
      if (status === 200 && json.type !== 'try_again') return json;
    }
    throw new Error(`${path} does not end`);
  };
  const { session_id } = await post('create_session', { project_id: project });
  const lora_config = { rank: 2, seed: 1 };
  const created = await done('create_model', { session_id, model_seq_id: 0, base_model: 'heddle/tiny', lora_config });
  await done('save_weights', { model_id: created.model_id, seq_id: 1, path: 'state' });
  await post(`sessions/${session_id}/finish`, {});
  return created.model_id;
}

const chats = Array.from({ length: 6 }, (_, i) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `What is ${i}?` },
      { role: 'assistant', content: `A number, ${i}.` },
    ],
  }),
).join('\n');

async function upload(client: Client, text: string): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'fine-tune');
  form.set('file', new Blob([text]), 'chats.jsonl');
  return (await client.try('POST', '/v1/files', form)).json.id;
}

/** Until the jobs have ended. */
async function untilQuiet(client: Client, ids: Omit<Ids, 'outputItem'>): Promise<void> {
  const ended = async () => {
    const jobs = (await client.ask('GET', '/v1/fine_tuning/jobs?limit=100')).data as { status: string }[];
    const run = await client.ask('GET', `/v1/evals/${ids.openaiEval}/runs/${ids.openaiRun}`);
    const sft = await client.ask('GET', `/v1/preview/training-jobs/${ids.sft}`);
    const gate = await client.ask('GET', `/v2/${project}/gates/${ids.gate}`);
    const { latest_turn: turn } = await client.ask('GET', `/v2/${project}/loops/cities`);
    const open = ['validating_files', 'queued', 'waiting', 'running', 'in_progress'];
    return [...jobs, run, sft, { status: gate.state }, { status: turn.outcome ?? 'running' }].every(
      ({ status }) => !open.includes(status),
    );
  };
  for (const until = Date.now() + 120_000; !(await ended()); await sleep(200)) {
    if (Date.now() > until) throw new Error('the jobs do not end');
  }
}
