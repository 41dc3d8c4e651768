import { randomUUID } from 'node:crypto';
import { derivedId } from '../../src/domain/calls/ids.ts';
import { itemIdOf } from '../../src/domain/openai-evals/stored-item.ts';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { payloadMarker, today } from './known-values.ts';
import type { Answer } from './send.ts';
import { World } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;
/** Sends a body: an object as JSON, bytes as they are. */
export type Ask = (
  method: 'POST' | 'PUT',
  path: string,
  body: object,
  headers?: Record<string, string>,
) => Promise<Answer>;

const spanId = 'ab'.repeat(8);
/** How many there are of what takes time to make. */
export type WorldSize = { responses: number; evals: number; trainingJobs: boolean };

function exportOf(project: string): object {
  const [entity, name] = project.split('/');
  const attribute = (key: string, stringValue: string | undefined) => ({ key, value: { stringValue } });
  const resource = { attributes: [attribute('wandb.entity', entity), attribute('wandb.project', name)] };
  const times = { startTimeUnixNano: '1704067200000000000', endTimeUnixNano: '1704067201000000000' };
  const span = {
    traceId: 'ab'.repeat(16),
    spanId,
    name: 'chat',
    ...times,
    attributes: [attribute('input.value', 'Hi')],
  };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
}

/** Makes one of everything in a project, and says what it is called. */
export async function makeWorld(ask: Ask, project: string, size: WorldSize): Promise<World> {
  const [entity = ''] = project.split('/');
  const world = new World(entity, { project: [project], thread: ['a thread'], op: ['op'] });

  async function make(path: string, body: object, method: 'POST' | 'PUT' = 'POST'): Promise<Json> {
    const answer = await ask(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
    return JSON.parse(answer.text);
  }

  const calls = callsOf(project);
  await make(`/v2/${project}/calls/complete`, { batch: calls });
  const callRefs = calls.map(({ id }) => `weave:///${project}/call/${id}`);
  for (const { id, trace_id } of calls) {
    world.add('call', id);
    world.add('trace', trace_id);
  }
  const running = { project_id: project, id: randomUUID(), trace_id: randomUUID(), op_name: 'op' };
  await make('/call/start', { start: { ...running, started_at: startedAt, attributes: {}, inputs: {} } });
  world.add('call', running.id);

  await make('/otel/v1/traces', exportOf(project));
  world.add('span', spanId);

  // All values under all names: then any name goes with any digest.
  for (const [name, val] of objectNames.flatMap((name) => objects.map((val) => [name, val] as const))) {
    const { digest } = await make('/obj/create', { obj: { project_id: project, object_id: name, val } });
    world.add('object', name);
    world.add('version', digest);
    world.add('ref', `weave:///${project}/object/${name}:${digest}`);
    await make(`/objs/${name}/aliases`, { project_id: project, digest, aliases: ['best'] }, 'PUT');
    await make(`/objs/${name}/versions/${digest}/tags`, { project_id: project, tags: ['tag'] }, 'PUT');
  }
  world.add('alias', 'best');
  world.add('tag', 'tag');
  for (const ref of callRefs) world.add('ref', ref);

  const rows = Array.from({ length: 4 }, (_, index) => ({ a: index, text: payloadMarker }));
  const table = await make('/table/create', { table: { project_id: project, rows } });
  world.add('table', table.digest);
  for (const digest of table.row_digests) world.add('row', digest);
  world.add('ref', `weave:///${project}/table/${table.digest}`);

  for (const [type, payload] of Object.entries(feedback)) {
    const about = { project_id: project, weave_ref: callRefs[0], feedback_type: type, payload };
    world.add('feedback', (await make('/feedback/create', about)).id);
  }
  const { id: queue } = await make('/annotation_queues', { project_id: project, name: 'Alpha', scorer_refs: [] });
  world.add('queue', queue);
  const call_ids = calls.map(({ id }) => id);
  await make(`/annotation_queues/${queue}/items`, { project_id: project, call_ids, display_fields: ['inputs.a'] });
  const { items } = await make(`/annotation_queues/${queue}/items/query`, { project_id: project });
  for (const { id } of items) world.add('item', id);

  const price = { prompt_token_cost: 0.1, completion_token_cost: 0.2 };
  const { ids } = await make('/cost/create', { project_id: project, costs: { 'gpt-4o': price } });
  for (const [id] of ids) world.add('price', id);

  for (const [kind, body] of Object.entries(resources)) {
    await make(`/v2/${project}/${kind}`, { name: `first-${kind}`, description: payloadMarker, ...body });
  }
  await make(`/v2/${project}/suites`, { name: 'exam', dataset: 'first-datasets' });
  await makeEvaluation((path, body) => make(`/v2/${project}/${path}`, body), world);

  const publish = (object_id: string, val: object) =>
    make('/obj/create', { obj: { project_id: project, object_id, val } });
  await makeRunnable(publish, project, table.digest);
  const trained = { entity, project: project.split('/')[1], name: 'agent', base_model: 'heddle/tiny' };
  const { id: modelId } = await make('/v1/preview/models', trained);
  world.add('trained model', modelId);
  if (size.trainingJobs) {
    const { id } = await make('/v1/preview/training-jobs', { model_id: modelId, trajectory_groups: [] });
    world.add('training job', id);
  }

  const key = await ask('POST', '/keys', { name: 'spare' }); // refused if many worlds have made theirs
  if (key.status === 200) world.add('key', JSON.parse(key.text).id);
  await make('/secrets', { project_id: project, name: 'OPENAI_API_KEY', value: 'sk-of-no-provider' }, 'PUT');
  await ask('POST', `/entities/${entity}/members`, { username: 'someone' }); // refused in all worlds but the first

  for (let count = 0; count < size.responses; count++) {
    const { id } = await make('/v1/responses', { input: 'Hi', max_output_tokens: 1, background: count % 2 === 1 });
    world.add('response', id);
  }

  for (let i = 0; i < size.evals; i++) world.add('openai eval', await makeEval(make));

  for (const lora_name of ['tuned', 'team/tiny']) {
    await ask('POST', '/v1/load_lora_adapter', { lora_name, lora_path: adapterFolder });
  }

  world.add('file', (await makeFile(ask, '/file/create', { project_id: project })).digest);
  const { id: uploaded } = await makeFile(ask, '/v1/files', { purpose: 'fine-tune' });
  world.add('uploaded file', uploaded);
  if (size.trainingJobs) {
    const { id } = await make('/v1/fine_tuning/jobs', { model: 'heddle/tiny', training_file: uploaded });
    world.add('fine-tuning job', id);
  }
  return world;
}

async function makeFile(ask: Ask, path: string, fields: Record<string, string>): Promise<Json> {
  const part = (name: string, value: string, more = '') =>
    `--limit\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const described = Object.entries(fields).map(([name, value]) => part(name, value));
  const body = `${described.join('')}${part('file', payloadMarker, '; filename="a.txt"')}--limit--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=limit' };
  return JSON.parse((await ask('POST', path, Buffer.from(body), headers)).text);
}

const resources: Record<string, object> = {
  ops: { source_code: payloadMarker },
  datasets: { rows: [{ a: 1, text: payloadMarker }] },
  scorers: { op_source_code: payloadMarker },
  models: { source_code: payloadMarker, attributes: { a: 1 } },
  evaluations: { dataset: 'weave:///ent/p/object/first-datasets:v0' },
};

/** An eval with a run of one row, which grades nothing that takes time. */
async function makeEval(make: (path: string, body: object) => Promise<Json>): Promise<string> {
  const grader = { type: 'string_check', name: 'same', operation: 'eq', input: '{{ item.a }}', reference: 'b' };
  const data_source_config = { type: 'custom', item_schema: { type: 'object' } };
  const { id } = await make('/v1/evals', { data_source_config, testing_criteria: [grader] });
  const source = { type: 'file_content', content: [{ item: { a: payloadMarker } }] };
  const run = await make(`/v1/evals/${id}/runs`, { data_source: { type: 'jsonl', source } });
  const callId = run.report_url.split('/').at(-1);
  return `${id} ${run.id} ${itemIdOf(derivedId(callId, '0/0'))}`;
}

/** A run with a prediction and a score. */
async function makeEvaluation(make: (path: string, body: object) => Promise<Json>, world: World): Promise<void> {
  const model = 'weave:///ent/p/object/first-models:v0';
  const run = await make('evaluation_runs', { evaluation: 'weave:///ent/p/object/first-evaluations:v0', model });
  const evaluation_run_id = run.evaluation_run_id;
  const prediction = { model, inputs: { a: 1 }, output: payloadMarker, evaluation_run_id };
  const { prediction_id } = await make('predictions', prediction);
  const scorer = 'weave:///ent/p/object/judge:v0';
  const { score_id } = await make('scores', { prediction_id, scorer, value: { ok: true }, evaluation_run_id });
  for (const id of [evaluation_run_id, prediction_id, score_id]) world.add('call', id);
}

/** An evaluation, a model and a scorer that the server can run. */
async function makeRunnable(publish: (name: string, val: object) => Promise<Json>, project: string, table: string) {
  const refTo = (name: string) => `weave:///${project}/object/${name}:latest`;
  const scorers = [refTo('long')];
  await publish('rows', {
    _class_name: 'Dataset',
    _bases: ['Object', 'BaseModel'],
    rows: `weave:///${project}/table/${table}`,
  });
  await publish('long', { ...ofClass('RuleScorer', 'Scorer'), rule: 'regex', pattern: '.{10}' });
  const default_params = { messages_template: [{ role: 'user', content: '{a}' }], max_tokens: 2 };
  await publish('answerer', {
    ...ofClass('LLMStructuredCompletionModel', 'Model'),
    llm_model_id: 'heddle/tiny',
    default_params,
  });
  await publish('quiz', {
    _class_name: 'Evaluation',
    _bases: ['Object', 'BaseModel'],
    dataset: refTo('rows'),
    scorers,
  });
}

function ofClass(name: string, base: string) {
  return { _type: name, _class_name: name, _bases: [base, 'Object', 'BaseModel'] };
}

const startedAt = new Date(today).toISOString();

/** A trace of a parent and its child, and a turn of a thread. */
function callsOf(project: string) {
  const trace = randomUUID();
  const ids = Array.from({ length: 3 }, () => randomUUID());
  const usage = { 'gpt-4o': { requests: 1, prompt_tokens: 10, completion_tokens: 5 } };
  const shared = {
    project_id: project,
    op_name: 'op',
    started_at: startedAt,
    ended_at: new Date(today + 1000).toISOString(),
    ...{
      attributes: {},
      inputs: { a: 1, b: { c: payloadMarker } },
      output: { text: payloadMarker },
      summary: { usage },
    },
  };
  return [
    { ...shared, id: ids[0]!, trace_id: trace },
    { ...shared, id: ids[1]!, trace_id: trace, parent_id: ids[0]! },
    { ...shared, id: ids[2]!, trace_id: randomUUID(), thread_id: 'a thread', turn_id: ids[2]! },
  ];
}

const objectNames = ['mine', 'op-a', 'third'];
const objects = [
  { a: 1, b: { c: payloadMarker }, list: [1, 2, 3] },
  { _type: 'CustomWeaveType', weave_type: { type: 'Op' }, files: {} },
];

const feedback: Record<string, object> = {
  'wandb.reaction.1': { emoji: '👍' },
  'wandb.note.1': { note: payloadMarker },
  custom: { score: 0.5, text: payloadMarker },
};
