import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshProject } from './testing/fresh-project.ts';

const project = freshProject();

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });
const times = <Value>(count: number, make: (i: number) => Value) => Array.from({ length: count }, (_, i) => make(i));
const ask = (path: string, body: object) => project.post(path, { project_id: project.name, ...body });
const where = ($expr: unknown) => ({ query: { $expr } });
const nested = (depth: number, inner: unknown, wrap: (operand: unknown, i: number) => unknown) => {
  let operand = inner;
  for (let i = 0; i < depth; i++) operand = wrap(operand, i);
  return operand;
};

const month = { start: '2024-01-01T00:00:00Z', end: '2024-01-31T00:00:00Z' };
const percentiles = times(100, (i) => i);
const sortBy = (count: number) => ({ sort_by: times(count, (i) => ({ field: `inputs.f${i}`, direction: 'asc' })) });
const fields = (count: number) => where({ $or: times(count, (i) => ({ $eq: [field(`inputs.f${i}`), literal(i)] })) });
const feedbackSort = (count: number) => ({
  sort_by: times(count, (i) => ({ field: `payload.f${i}`, direction: 'asc' })),
});
const metrics = (count: number) => ({
  ...month,
  metrics: times(count, (i) => ({ json_path: `f${i}`, value_type: 'numeric' })),
});

const tooLarge: [what: string, path: string, body: object, message: RegExp][] = [
  ['fields in a query', '/calls/query_stats', fields(101), /at most 100 fields in its query, this one has 101/],
  [
    ...(['operands', '/calls/query_stats'] as const),
    where({ $in: [field('id'), times(20_001, (i) => literal(`id${i}`))] }),
    /at most 20000 operands/,
  ],
  [
    ...(['nested conversions', '/calls/query_stats'] as const),
    where({
      $eq: [
        nested(30, field('inputs.a'), (input, i) => ({ $convert: { input, to: i % 2 ? 'string' : 'bool' } })),
        literal('x'),
      ],
    }),
    /too complex/,
  ],
  [
    ...(['comparisons of comparisons', '/calls/query_stats'] as const),
    where({
      $eq: [
        nested(24, field('inputs.a'), (operand) => ({
          $eq: [{ $convert: { input: operand, to: 'string' } }, literal('true')],
        })),
        literal(true),
      ],
    }),
    /too complex/,
  ],
  [
    ...(['path steps', '/calls/query_stats'] as const),
    where({ $eq: [field(`inputs${'.0'.repeat(5000)}`), literal(1)] }),
    /at most 100 steps/,
  ],
  ['sorts of calls', '/calls/stream_query', sortBy(11), /at most 10 fields in its sort_by, this one has 11/],
  ['sorts of feedback', '/feedback/query', feedbackSort(11), /at most 10 fields in its sort_by/],
  ['sorts of threads', '/threads/stream_query', sortBy(11), /at most 10 fields in its sort_by/],
  ['sorts of prices', '/cost/query', sortBy(11), /at most 10 fields in its sort_by/],
  ['sorts of rows', '/table/query', { digest: 'd', ...sortBy(11) }, /at most 10 fields in its sort_by/],
  [
    ...(['steps of a sort of rows', '/table/query'] as const),
    { digest: 'd', sort_by: [{ field: `a${'.0'.repeat(5000)}`, direction: 'asc' }] },
    /at most 100 steps/,
  ],
  [
    ...(['selected fields of feedback', '/feedback/query'] as const),
    { fields: times(101, (i) => `payload.f${i}`) },
    /at most 100 fields/,
  ],
  [
    ...(['expanded columns', '/calls/stream_query'] as const),
    { expand_columns: times(101, (i) => `inputs.f${i}`) },
    /at most 100 expand_columns/,
  ],
  ['metrics of feedback', '/feedback/stats', metrics(51), /at most 50 metrics, this one has 51/],
  [
    ...(['metrics of calls', '/calls/stats'] as const),
    { ...month, call_metrics: times(51, () => ({ metric: 'latency_ms' })) },
    /at most 50 metrics/,
  ],
  [
    ...(['percentiles of feedback', '/feedback/stats'] as const),
    { ...month, metrics: [{ json_path: 'a', percentiles: times(101, (i) => i / 2) }] },
    /at most 100 percentiles/,
  ],
  [
    ...(['values of feedback statistics', '/feedback/stats'] as const),
    { ...month, granularity: 300, metrics: [{ json_path: 'a', percentiles }] },
    /more than the 500000 values of an answer/,
  ],
  [
    ...(['values of call statistics', '/calls/stats'] as const),
    { ...month, granularity: 300, call_metrics: [{ metric: 'latency_ms', percentiles }] },
    /more than the 500000 values of an answer/,
  ],
  [
    ...(['a long literal that is searched for a field', '/calls/query_stats'] as const),
    where({ $contains: { input: literal('a'.repeat(2000)), substr: field('inputs.a') } }),
    /literal of at most 1000 characters/,
  ],
];

test.each(tooLarge)('refuses too many or too large: %s', async (_what, path, body, message) => {
  const answer = await ask(path, body);
  expect([answer.status, answer.json.reason]).toEqual([400, expect.stringMatching(message)]);
});

test('takes as many conditions, sorts and metrics as the limits allow', async () => {
  await project.log({ inputs: { f1: 1 } });
  const answers = await Promise.all([
    ask('/calls/query_stats', fields(100)),
    ask('/calls/query_stats', where({ $in: [field('id'), times(10_000, (i) => literal(`id${i}`))] })),
    ask('/calls/stream_query', sortBy(10)),
    ask('/feedback/query', { ...feedbackSort(10), fields: times(100, (i) => `payload.f${i}`) }),
    ask('/feedback/stats', metrics(50)),
    ask('/calls/query_stats', where({ $eq: [field(`inputs${'.0'.repeat(20)}`), literal(1)] })),
  ]);
  expect(answers.map(({ status, text }) => [status, status === 200 ? '' : text])).toEqual(Array(6).fill([200, '']));
  expect(answers[0]!.json.count).toBe(1);
});

test('a sort of rows by many indexes stays small', async () => {
  const table = { project_id: project.name, rows: [{ a: [[[7]]] }] };
  const { digest } = (await project.post('/table/create', { table })).json;
  const answer = await ask('/table/query', {
    digest,
    sort_by: [{ field: `a${'.0'.repeat(40)}`, direction: 'asc' }],
  });
  expect([answer.status, answer.json.rows.length]).toEqual([200, 1]);
});

const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

test.each(inherited)('the name %s means nothing but itself, wherever a field is named', async (name) => {
  await project.log({ inputs: { [name]: 'own' } });
  const sort = [{ field: name, direction: 'asc' }];
  const eq = (path: string) => where({ $eq: [field(path), literal('own')] });
  const refused: [string, object][] = [
    ['/feedback/query', { fields: [name] }],
    ['/feedback/query', { fields: [`${name}.x`] }],
    ['/feedback/query', eq(name)],
    ['/feedback/query', eq(`${name}.x`)],
    ['/feedback/query', { sort_by: sort }],
    ['/calls/stream_query', eq(name)],
    ['/calls/stream_query', { sort_by: sort }],
    ['/calls/stream_query', { columns: [name] }],
    ['/calls/query_stats', eq(`summary.weave.${name}`)],
    ['/threads/stream_query', { sort_by: sort }],
    ['/cost/query', eq(name)],
    ['/cost/query', { sort_by: sort }],
  ];
  for (const [path, body] of refused) {
    const answer = await ask(path, body);
    expect([path, body, answer.status, answer.text]).toEqual([path, body, expect.toSatisfy(is4xx), expect.any(String)]);
    expect(answer.text).not.toContain('native code');
  }
  const found = await ask('/calls/query_stats', eq(`inputs.${name}`));
  expect([found.status, found.json.count]).toEqual([200, 1]);
  const taken: [string, object][] = [
    ['/feedback/query', { fields: [`payload.${name}`], ...eq(`payload.${name}`) }],
    ['/feedback/query', { fields: [`scorer_ratings.${name}`] }],
    ['/calls/query_stats', eq(`feedback.[${name}].payload.${name}`)],
    ['/calls/stream_query', { sort_by: [{ field: `inputs.${name}`, direction: 'asc' }] }],
    ['/feedback/stats', { ...month, metrics: [{ json_path: name, value_type: 'numeric' }] }],
    ['/calls/stream_query', { filter: { op_names: [name], thread_ids: [name] }, expand_columns: [`inputs.${name}`] }],
    ['/objs/query', { filter: { object_ids: [name] }, sort_by: sort }],
  ];
  for (const [path, body] of taken) {
    const answer = await ask(path, body);
    expect([path, body, answer.status < 500, answer.text]).toEqual([path, body, true, expect.any(String)]);
  }
  const given = { weave_ref: `weave:///${project.name}/call/x`, feedback_type: name, payload: { [name]: 1 } };
  expect((await ask('/feedback/create', given)).status).toBe(200);
});

const is4xx = (status: number) => status >= 400 && status < 500;

test('a condition on feedback is taken wherever calls are asked for, whatever the condition', async () => {
  const trace = randomUUID();
  const [scored] = await project.log({ trace_id: trace }, { trace_id: trace });
  const feedback = { weave_ref: `weave:///${project.name}/call/${scored}`, payload: { text: 'good', empty: '' } };
  await ask('/feedback/create', { ...feedback, feedback_type: 'verdict' });
  await ask('/feedback/create', { ...feedback, feedback_type: 'wandb.note.1', payload: { note: 'good' } });
  const path = 'feedback.[verdict].payload.text';
  const contains = (name: string, substr: string) => ({ $contains: { input: field(name), substr: literal(substr) } });
  const conditions: [unknown, number][] = [
    [contains(path, 'goo'), 1],
    [contains(path, ''), 2],
    [{ $not: [contains(path, 'goo')] }, 1],
    [contains('feedback.[wandb.note.1].payload.note', 'goo'), 1],
    [contains('feedback.[*].payload.text', 'goo'), 1],
    [{ $eq: [field(path), literal('good')] }, 1],
    [{ $not: [{ $eq: [field(path), literal('good')] }] }, 1],
    [{ $eq: [{ $convert: { input: field(path), to: 'exists' } }, literal(true)] }, 1],
    [{ $eq: [field(path), field('feedback.[verdict].payload.empty')] }, 1],
  ];
  for (const [condition, count] of conditions) {
    for (const filter of [null, { trace_ids: [trace] }, { call_ids: [scored] }]) {
      const usage = await ask('/trace/usage', { ...where(condition), filter });
      expect([condition, filter, usage.status, usage.text]).toEqual([condition, filter, 200, expect.any(String)]);
      const counted = await ask('/calls/query_stats', { ...where(condition), filter });
      expect([condition, filter, counted.status]).toEqual([condition, filter, 200]);
      expect(Object.keys(usage.json.call_usage ?? {}).length).toBe(counted.json.count);
      if (filter === null) expect([condition, counted.json.count]).toEqual([condition, count]);
    }
  }
});
