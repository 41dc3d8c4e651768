import { setTimeout as sleep } from 'node:timers/promises';
import { runPython } from '../../e2e/harness/clients.ts';
import type { Answer, Heddle } from '../../e2e/harness/heddle.ts';
import { newModel, sampledGroups, startJob, startSftJob } from '../../e2e/training/training-jobs.ts';

/** What the addresses of a project's pages name. */
export type Filled = {
  project: string;
  /** A trace of which a call failed, and the one that failed. */
  failedCall: string;
  chatCall: string;
  spanCall: string;
  comparedCalls: string[];
  runs: string[];
  queue: string;
  /** The name of a saved view. */
  view: string;
};

/** A project with something on every page: what the SDKs log, and what users make of it. */
export async function fillProject(heddle: Heddle): Promise<Filled> {
  const project = heddle.newProject();
  // The first ones expect a project in which nobody else writes.
  const programs = [
    'openai_calls.py',
    'stats_and_threads.py',
    'annotation_queues.py',
    'nested_ops.py',
    'evaluation.py',
  ];
  for (const program of [...programs, 'generators_and_errors.py']) {
    await runPython(heddle, program, { args: [project], expected: /./ });
  }
  const { runs } = await runPython(heddle, 'compared_evaluations.py', { args: [project], expected: /./ });
  const view = await runPython(heddle, 'saved_views.py', { args: [project, 'save'], expected: /./ });
  const post = async (path: string, body: object) =>
    succeeded(await heddle.post(path, { project_id: project, ...body }));

  const [failedCall, chatCall, ...comparedCalls] = await logCalls(post, project);
  const spanCall = await exportSpan(heddle, project);
  await savePrompt(post, project);
  const queue = await fillQueue(post, project, [chatCall!, ...comparedCalls]);
  await train(heddle, project);
  await fillSettings(heddle, project);
  return {
    ...{ project, failedCall: failedCall!, chatCall: chatCall!, spanCall, comparedCalls, runs, queue },
    view: new URL(view.address).searchParams.get('view')!,
  };
}

type Post = (path: string, body: object) => Promise<Answer>;

/** A trace of an agent whose tool failed, a chat with everything that messages can contain, and two answers to compare. */
async function logCalls(post: Post, project: string): Promise<string[]> {
  const begin = Date.now() - 3_600_000;
  const at = (seconds: number) => new Date(begin + seconds * 1000).toISOString();
  const base = { project_id: project, attributes: {}, summary: {}, inputs: {} };
  const agent = { ...base, trace_id: crypto.randomUUID(), thread_id: 'support-4711', turn_id: 'turn-1' };
  const usage = { 'gpt-4o': { prompt_tokens: 1840, completion_tokens: 212, requests: 1 } };
  const root = crypto.randomUUID();
  const call = (op_name: string, from: number, to: number, fields: object) => ({
    ...{
      ...agent,
      id: crypto.randomUUID(),
      parent_id: root,
      op_name,
      started_at: at(from),
      ended_at: at(to),
      ...fields,
    },
  });
  const exception = 'TimeoutError: the weather service did not answer within 5 s';
  const trace = [
    call('support_agent', 0, 9.4, { id: root, parent_id: null, inputs: { question }, output: answer }),
    call('chat', 0.1, 2.3, {
      inputs: { model: 'gpt-4o', messages: chat.slice(0, 2) },
      output: null,
      summary: { usage },
    }),
    call('find_order', 2.4, 2.9, {
      inputs: { order: 4711 },
      output: { order: 4711, status: 'in transit', parcels: 2 },
    }),
    call('get_weather', 3, 8, { inputs: { city: 'Hamburg' }, exception }),
    call('chat', 8.1, 9.3, {
      inputs: { model: 'gpt-4o', messages: chat },
      output: { choices: [{ message: answer }] },
      summary: { usage },
    }),
  ];
  const answers = ['Your parcel arrives on Friday.', 'Your parcel arrives on Friday, unless the storm delays it.'];
  const compared = answers.map((content, index) => ({
    ...{ ...base, id: crypto.randomUUID(), trace_id: crypto.randomUUID(), op_name: 'answer' },
    ...{ started_at: at(60 + index), ended_at: at(61.5 + index * 2), inputs: { question, temperature: index / 2 } },
    ...{ output: { content, sources: index + 1 }, summary: { usage } },
  }));
  await post(`/v2/${project}/calls/complete`, { batch: [...trace, ...compared] });
  return [trace[3]!.id, trace[4]!.id, ...compared.map(({ id }) => id)];
}

const question = 'Where is my order 4711, and will the storm in Hamburg delay it?';
const answer = { role: 'assistant', content: 'It is in transit. I could not read the weather, so it may be late.' };
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const chat = [
  { role: 'system', content: 'You help customers of a shop. Use the tools, and never guess.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: question },
      { type: 'image_url', image_url: { url: pixel } },
    ],
  },
  {
    ...{ role: 'assistant', content: null, reasoning_content: 'The order first, then the weather.' },
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'find_order', arguments: '{"order": 4711}' } },
      { id: 'b', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Hamburg"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: '{"order": 4711, "status": "in transit", "parcels": 2}' },
  { role: 'tool', tool_call_id: 'b', content: 'Error: the weather service did not answer within 5 s' },
];

async function exportSpan(heddle: Heddle, project: string): Promise<string> {
  const spanId = '00f067aa0ba902b7';
  const now = BigInt(Date.now()) * 1_000_000n;
  const attribute = (key: string, value: string | number) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
  });
  const span = {
    ...{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId, name: 'chat gpt-4o', kind: 3, status: { code: 1 } },
    ...{ startTimeUnixNano: String(now - 2_000_000_000n), endTimeUnixNano: String(now) },
    attributes: [
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.request.model', 'gpt-4o'),
      attribute(
        'gen_ai.input.messages',
        JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: question }] }]),
      ),
      attribute('gen_ai.usage.input_tokens', 1840),
      attribute('gen_ai.usage.output_tokens', 212),
      attribute('gen_ai.conversation.id', 'support-4712'),
      attribute('shop.region', 'north'),
    ],
  };
  const response = await fetch(`${heddle.url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${heddle.key}`, project_id: project },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  });
  if (!response.ok) throw new Error(`The span was answered with ${response.status}: ${await response.text()}`);
  return spanId;
}

async function savePrompt(post: Post, project: string): Promise<void> {
  const classes = { _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] };
  for (const content of ['Be kind.', 'Be kind and brief. Use the tools, and never guess.']) {
    const messages = [
      { role: 'system', content },
      { role: 'user', content: 'Answer: {question}' },
    ];
    const val = {
      ...classes,
      name: 'support',
      description: null,
      messages,
      settings: { model: 'heddle/tiny', temperature: 0.5 },
    };
    await post('/obj/create', { obj: { project_id: project, object_id: 'support', val } });
  }
}

/** A queue with questions of each kind, of which the first items are done. */
async function fillQueue(post: Post, project: string, call_ids: string[]): Promise<string> {
  const specs: [name: string, field_schema: object][] = [
    ['Is the answer correct?', { type: 'boolean' }],
    ['How is the tone?', { type: 'string', enum: ['friendly', 'neutral', 'rude'] }],
    ['How much does it help?', { type: 'integer', minimum: 1, maximum: 5 }],
    ['What is missing?', { type: 'string' }],
  ];
  const scorer_refs: string[] = [];
  for (const [index, [name, field_schema]] of specs.entries()) {
    const obj = { project_id: project, object_id: `question-${index}`, builtin_object_class: 'AnnotationSpec' };
    const { json } = await post('/obj/create', { obj: { ...obj, val: { name, field_schema } } });
    scorer_refs.push(`weave:///${project}/object/question-${index}:${json.digest}`);
  }
  const about = { name: 'Answers of the week', description: 'Look at the facts first, then at the tone.' };
  const { id } = (await post('/annotation_queues', { ...about, scorer_refs })).json;
  await post(`/annotation_queues/${id}/items`, { call_ids, display_fields: [] });
  const { items } = (await post(`/annotation_queues/${id}/items/query`, {})).json;
  const given = [true, 'friendly', 4, 'When it arrives'];
  await post(`/annotation_queues/${id}/items/${items[0].id}/progress`, { annotation_state: 'completed' });
  for (const [index, value] of given.entries()) {
    await post('/feedback/create', {
      ...{ weave_ref: `weave:///${project}/call/${items[0].call_id}`, queue_id: id, payload: { value } },
      ...{ feedback_type: `wandb.annotation.question-${index}`, annotation_ref: scorer_refs[index] },
    });
  }
  return id;
}

/** A model with a finished job of each of the two main kinds. */
async function train(heddle: Heddle, project: string): Promise<void> {
  const model = await newModel(heddle, project);
  const jobs = [await startSftJob(heddle, model, 20), await startJob(heddle, model, await sampledGroups(heddle, 4))];
  for (const job of jobs) {
    for (let status = ''; !['ended', 'failed'].includes(status); await sleep(500)) {
      status = succeeded(await heddle.get(`/v1/preview/training-jobs/${job}`)).json.status;
    }
  }
}

async function fillSettings(heddle: Heddle, project: string): Promise<void> {
  const put = { method: 'PUT', headers: { 'content-type': 'application/json', authorization: `Bearer ${heddle.key}` } };
  const secret = { project_id: project, name: 'OPENAI_API_KEY', value: 'sk-example' };
  await fetch(`${heddle.url}/secrets`, { ...put, body: JSON.stringify(secret) });
  succeeded(await heddle.post(`/entities/${heddle.entity}/members`, { username: 'newcomer' }));
  succeeded(await heddle.post('/keys', { name: 'laptop', username: 'newcomer' }));
  const price = { prompt_token_cost: 0.0000025, completion_token_cost: 0.00001, effective_date: '2026-01-31' };
  succeeded(await heddle.post('/cost/create', { project_id: project, costs: { 'my-model': price } }));
  succeeded(await heddle.upload(project, 'x'.repeat(2048)));
}

function succeeded(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`The server answered ${answer.status}: ${answer.text}`);
  return answer;
}
