import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { hostileField, hostileRef } from './hostile.ts';
import type { NameKind, TextSketch } from './world.ts';

/** Is in every payload: nothing of it may appear in the server's log. */
export const payloadMarker = 'payload5e1f09';

/** What a text of a request means, by the name of its field: without it no request would ever find anything. */

type Texts = fc.Arbitrary<TextSketch>;

const fresh: Texts = fc.constant(() => randomUUID());
const plain: Texts = fc.string({ unit: 'grapheme', maxLength: 16 }).map((text) => () => text);

function named(kind: NameKind, ...others: Texts[]): Texts {
  const existing = fc.nat({ max: 1000 }).map(
    (number): TextSketch =>
      (world) =>
        world.pick(kind, number),
  );
  return fc.oneof({ weight: 9, arbitrary: existing }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
}

/** A part of the name of an eval. */
function evalPart(part: 0 | 1 | 2): Texts {
  return fc.nat({ max: 1000 }).map(
    (number): TextSketch =>
      (world) =>
        world.evalPart(part, number),
  );
}

/** A conversation to train on. */
const conversationUrl = `data:application/jsonl,${encodeURIComponent(
  JSON.stringify({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ],
  }),
)}`;

function words(...choices: string[]): Texts {
  return fc.constantFrom(...choices).map((choice) => () => choice);
}

const project = named('project', words('ent/none', 'other/p', 'ent/fresh'));
const call = named('call', fresh);
const trace = named('trace', fresh);
const op = named('op', words('op', 'other op', 'a'));
const object = named('object', words('fresh-object', 'mine', 'op-a'));
const version = named('version', words('latest', 'v0', 'v1', 'best'));
const table = named('table');
const file = named('file');
const row = named('row');
const ref = fc.oneof({ weight: 9, arbitrary: named('ref') }, { weight: 1, arbitrary: fixed(hostileRef()) });
const tag = named('tag', words('tag', 'two words'));
const alias = named('alias', words('best', 'prod'));
const digest = named('version', table, file, row);
const user = words('ent', 'someone', 'VXNlcjo=');
const feedbackType = words(
  'custom',
  'custom',
  'wandb.reaction.1',
  'wandb.note.1',
  'wandb.annotation.quality',
  'wandb.runnable.judge',
  'custom',
  'wandb.x.1',
);
const field = fc.oneof(
  {
    weight: 8,
    arbitrary: words(
      ...[
        'id',
        'trace_id',
        'op_name',
        'display_name',
        'started_at',
        'ended_at',
        'parent_id',
        'thread_id',
        'wb_user_id',
      ],
      ...['inputs', 'output', 'attributes', 'summary', 'exception', 'storage_size_bytes', 'total_storage_size_bytes'],
      ...['inputs.a', 'inputs.b.c', 'output.text', 'attributes.weave.client_version', 'summary.weave.status'],
      ...['summary.weave.latency_ms', 'summary.usage.gpt-4o.requests', 'summary.weave.costs.gpt-4o.total_cost'],
      ...['feedback.[wandb.reaction.1].payload.emoji', 'feedback.[*].trigger_ref', 'feedback.[custom].payload.score'],
      ...[
        'feedback_type',
        'created_at',
        'creator',
        'payload',
        'payload.note',
        'weave_ref',
        'annotation_ref',
        'queue_id',
      ],
      ...['object_id', 'name', 'updated_at', 'call_started_at', 'thread_count', 'turn_count', 'last_updated', 'val.a'],
      ...[
        'llm_id',
        'provider_id',
        'effective_date',
        'prompt_token_cost',
        'pricing_level',
        'annotation_queue_items.queue_id',
      ],
    ),
  },
  { weight: 1, arbitrary: fixed(hostileField()) },
);

const objectRef = fc.oneof(
  { weight: 5, arbitrary: words('weave:///ent/p/object/judge:v0', 'weave:///ent/p/object/other:latest') },
  { weight: 1, arbitrary: ref },
);
/** Objects that make-world publishes for evaluations on the server. */
const runnable = (name: string) =>
  fc.oneof({ weight: 5, arbitrary: words(`weave:///ent/p/object/${name}:latest`) }, { weight: 1, arbitrary: ref });
const resultField = fc.oneof(
  {
    weight: 19,
    arbitrary: words(
      ...['scores.judge', 'scores.judge.ok', 'inputs.a', 'inputs.b.c', 'output.output', 'output.scores.judge'],
    ),
  },
  { weight: 1, arbitrary: words('row_digest', 'scores', 'inputs.\\\\.', 'bogus') },
);

/** Kinds of things that are published under names of their own: a name belongs to one class. */
const resourceGroups = ['Ops', 'Datasets', 'Scorers', 'Models', 'Evaluations'];

function resourceFields(group: string): [string, Texts][] {
  const names = ['first', 'second'].map((name) => `${name}-${group.toLowerCase()}`);
  return [
    [`${group}:name`, words(...names)],
    [`${group}:object_id`, words(...names, ...names, 'mine')],
    [`${group}:digest`, words('latest', 'latest', 'v0', 'v1')],
    [`${group}:digests`, words('latest', 'v0')],
  ];
}

/** By the field; where it means something else in a group of operations, by `group:field`. */
const byField: Record<string, Texts> = {
  project_id: project,
  project_ids: project,
  id: call,
  evaluation_run_id: call,
  evaluation_run_ids: call,
  source_evaluation_run_id: call,
  evaluation_call_id: call,
  evaluation_call_ids: call,
  prediction_id: call,
  prediction_ids: call,
  score_id: call,
  score_ids: call,
  evaluation: ref,
  evaluations: ref,
  models: ref,
  dataset: ref,
  scorer: objectRef,
  scorers: ref,
  ...Object.fromEntries(resourceGroups.flatMap((group) => resourceFields(group))),
  'Suites:suite': words('exam', 'exam', 'other'),
  'Suites:name': words('exam', 'other', 'held-out'),
  'Suites:dataset': words('first-datasets', 'first-datasets', 'nothing'),
  'Suites:thread_column': words('a', 'text', 'none'),
  evaluation_ref: runnable('quiz'),
  model_ref: runnable('answerer'),
  'Scores:scorer_refs': runnable('long'),
  'Eval results:field': resultField,
  'Eval results:$getField': resultField,
  call_id: call,
  call_ids: call,
  parent_id: call,
  parent_ids: call,
  turn_id: call,
  turn_ids: call,
  trace_id: trace,
  trace_ids: trace,
  scorer_trace_id: trace,
  span_trace_id: trace,
  call_trace_id: trace,
  thread_id: named('thread'),
  thread_ids: named('thread'),
  op_name: op,
  op_names: op,
  call_op_name: op,
  object_id: object,
  object_ids: object,
  digest,
  digests: version,
  expected_digest: digest,
  'Tables:digest': table,
  'Tables:digests': table,
  base_digest: table,
  row_digests: row,
  'Files:digest': file,
  queue_id: named('queue'),
  queue_ids: named('queue'),
  item_id: named('item'),
  'Annotation queues:id': named('item'),
  'OpenTelemetry:id': named('span'),
  feedback_id: named('feedback'),
  feedback_type: feedbackType,
  feedback_types: feedbackType,
  tags: tag,
  aliases: alias,
  field,
  fields: field,
  columns: field,
  expand_columns: field,
  display_fields: field,
  paths: field,
  json_path: field,
  group_by: field,
  $getField: field,
  ...Object.fromEntries(
    [
      ...[
        'refs',
        'weave_ref',
        'annotation_ref',
        'runnable_ref',
        'call_ref',
        'trigger_ref',
        'scorer_refs',
        'input_refs',
      ],
      'output_refs',
    ].map((name) => [name, ref]),
  ),
  eval_id: evalPart(0),
  run_id: evalPart(1),
  output_item_id: evalPart(2),
  'OpenAI evals:after': evalPart(0),
  'OpenAI evals:order': words('asc', 'desc'),
  'OpenAI evals:status': words('completed', 'pass'),
  key_id: named('key'),
  username: words('someone', 'friend'),
  'Secrets:name': words('OPENAI_API_KEY'),
  'Secrets:value': words('sk-of-no-provider'),
  'Secrets:hosts': words('llm.example.com'),
  'Secrets:scope': words('project', 'entity'),
  order_by: words('created_at', 'updated_at'),
  model_id: named('trained model'),
  job_id: named('training job'),
  file_id: named('uploaded file'),
  training_file: named('uploaded file'),
  validation_file: named('uploaded file'),
  fine_tuning_job_id: named('fine-tuning job'),
  purpose: words('fine-tune', 'evals', 'batch', 'none'),
  training_data_url: words(conversationUrl),
  training_folder_url: words(conversationUrl),
  // A model that answers without a limit takes a second.
  'Graders:model': words('none/such', 'none/such', 'heddle/tiny'),
  'OpenAI evals:model': words('none/such', 'none/such', 'heddle/tiny'),
  base_model: words('heddle/tiny', 'heddle/tiny', 'no/such-model'),
  split: words('val', 'train'),
  after: named('training job', named('trained model'), named('uploaded file'), named('fine-tuning job')),
  'Trained models:name': words('agent', 'second-agent'),
  model: words('heddle/tiny', 'heddle/tiny', 'none/such', 'wandb-artifact:///ent/p/a:v0'),
  name: words('alpha', 'Beta', 'tiny'),
  'Served models:name': words('tiny', 'heddle/tiny', 'tuned'),
  lora_name: words('tuned', 'tuned', 'second', 'team/tiny'),
  lora_path: words(adapterFolder, adapterFolder, adapterFolder, '/none'),
  base_model_name: words('heddle/tiny', 'heddle/tiny', 'none/such'),
  owner: words('heddle', 'team'),
  entity: words('ent', 'ent', 'ent', 'other'),
  entity_name: words('ent', 'ent', 'ent', 'other'),
  project_name: words('wandb-registry-prompts', 'registry'),
  portfolio_name: words('prompts', 'greetings'),
  ref,
  project: fc.nat({ max: 1000 }).map(
    (number): TextSketch =>
      (world) =>
        world.pick('project', number).split('/')[1] ?? '',
  ),
  provider: words('openai', 'anthropic', 'none'),
  provider_id: words('openai', 'default'),
  llm_id: words('gpt-4o', 'heddle/tiny'),
  api_key: words('e2e0owner0key'.padEnd(48, '0')), // of the server under test
  wb_user_id: user,
  wb_user_ids: user,
  annotation_state: words('in_progress', 'completed', 'skipped', 'unstarted'),
  timezone: words('UTC', 'Europe/Berlin', 'America/St_Johns', '+05:30', 'Mars/Olympus'),
  ip: words('1.1.1.1', '::1', '127.0.0.1', '::ffff:1.2.3.4', '256.1.1.1', 'fe80::1%eth0'),
  creator: user,
  to: words('double', 'string', 'int', 'bool', 'exists'),
  builtin_object_class: words('AnnotationSpec', 'Provider', 'Leaderboard', 'Nothing'),
  role: words('user', 'assistant', 'system', 'tool'),
  content: words('Hi', 'Where is the cup?', ''),
  regex: words('[a-c]{1,3}', '(yes|no)'),
  grammar: words('root ::= "a" | "b"', 'root ::= root'),
  chat_template: words('{{ messages[0].content }}', '{% for m in messages %}{{ m.role }}{% endfor %}'),
  response_id: named('response'),
  previous_response_id: named('response'),
  'Responses:type': words('message'),
  tool_choice: words('none', 'auto'),
  'Responses:after': named('response'),
  include: words('message.output_text.logprobs', 'reasoning.encrypted_content'),
  'Embeddings:input': words('Hi', 'Where is the cup?'),
  suffix: words(''),
  prompt_token_cost_unit: words('USD', 'EUR'),
  completion_token_cost_unit: words('USD'),
  emoji: words('👍', '💥', ':+1:'),
};

/** A text as a client would send it in this field. */
export function knownText(group: string, name: string): Texts {
  return byField[`${group}:${name}`] ?? byField[name] ?? plain;
}

/** When the calls of the set-up start: what is measured without an end is measured until now. */
export const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;

/** A point in time near the calls that exist. */
export function knownDate(name: string): Texts {
  const [from, to] = name === 'start' || name.startsWith('after') ? [-86_400, 0] : [0, 86_400];
  const near = fc.integer({ min: from, max: to });
  return fixed(near.map((seconds) => new Date(today + seconds * 1000).toISOString()));
}

/** Keys of an object whose keys are free, by its field. */
export function knownKeys(name: string): fc.Arbitrary<string> {
  if (name === 'costs' || name === 'usage') return fc.constantFrom('gpt-4o', 'heddle/tiny', 'my model');
  if (name === 'logit_bias') return fc.constantFrom('1', '5', '300');
  return fc.constantFrom('a', 'b', 'text', 'score');
}

/** Whole numbers that keep what a request costs within the time of a test. */
const numbers: Record<string, fc.Arbitrary<number>> = {
  limit: fc.integer({ min: 0, max: 50 }),
  offset: fc.integer({ min: 0, max: 5 }),
  granularity: fc.constantFrom(60, 3600, 86_400),
  time_bucket_seconds: fc.constantFrom(60, 3600, 86_400),
  n: fc.integer({ min: 1, max: 3 }),
  max_tokens: fc.integer({ min: 1, max: 6 }),
  max_completion_tokens: fc.integer({ min: 1, max: 6 }),
  max_output_tokens: fc.integer({ min: 1, max: 6 }),
  best_of: fc.integer({ min: 1, max: 3 }),
  logprobs: fc.integer({ min: 0, max: 4 }),
  min_tokens: fc.integer({ min: 0, max: 2 }),
  top_logprobs: fc.integer({ min: 0, max: 4 }),
  prompt_logprobs: fc.integer({ min: 0, max: 2 }),
  top_k: fc.integer({ min: -1, max: 20 }),
  temperature: fc.constantFrom(0, 0.5, 1),
  top_p: fc.constantFrom(0.5, 1),
  sample_limit: fc.integer({ min: 1, max: 50 }),
  index: fc.integer({ min: 0, max: 3 }),
  after_ms: fc.constantFrom(today, 0),
  before_ms: fc.constantFrom(today + 3_600_000, today + 86_400_000),
};

export function knownNumber(name: string): fc.Arbitrary<number> {
  return numbers[name] ?? fc.integer({ min: 0, max: 100 });
}

function fixed(texts: fc.Arbitrary<string>): Texts {
  return texts.map((text) => () => text);
}
