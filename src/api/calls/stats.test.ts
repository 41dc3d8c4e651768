import { describe, expect, test } from 'vitest';
import { otlpJson } from '../../otel/testing/span.ts';
import { at, startOf } from '../testing/calls.ts';
import { freshProject } from '../testing/fresh-project.ts';

const project = freshProject();

type Fields = Record<string, unknown>;

/** Asks over the hour from 2024-01-01T00:00:00Z, in buckets of half an hour, where nothing else is said. */
async function stats(request: Fields) {
  const hour = { start: '2024-01-01T00:00:00Z', end: '2024-01-01T01:00:00Z', granularity: 1800 };
  return project.post('/calls/stats', { project_id: project.name, ...hour, ...request });
}

const callBuckets = async (metrics: Fields[], more: Fields = {}) =>
  (await stats({ call_metrics: metrics, ...more })).json.call_buckets;
const usageBuckets = async (metrics: Fields[], more: Fields = {}) =>
  (await stats({ usage_metrics: metrics, ...more })).json.usage_buckets;

const usage = (usage: Fields) => ({ summary: { usage } });

const counts = [{ metric: 'call_count' }];
const start = '2024-01-01T00:00:00Z';

describe('time', () => {
  test.each([
    ['2024-01-01T02:00:00Z', 300, 24],
    ['2024-01-01T12:00:00Z', 3600, 12],
    ['2024-01-04T00:00:00Z', 21_600, 12],
    ['2024-01-15T00:00:00Z', 43_200, 28],
    ['2024-01-21T00:00:00Z', 86_400, 20],
  ])('a range up to %s has buckets of %d seconds [calls 107]', async (end, granularity, buckets) => {
    const { json } = await stats({ end, granularity: null, call_metrics: counts });
    expect(json).toMatchObject({ start, end, granularity, timezone: 'UTC', usage_buckets: [] });
    expect(json.call_buckets).toHaveLength(buckets);
  });

  test.each([
    ['a range of 31 days and one second [calls 108]', { end: '2024-02-01T00:00:01Z' }, 'end'],
    ['an end before the start [calls 108]', { end: '2023-12-31T23:59:59Z' }, 'end'],
    ['a start in the future [calls 108]', { start: '2999-01-01', end: null }, 'end'],
    ['a granularity of 0', { granularity: 0 }, 'granularity'],
    ['a negative granularity', { granularity: -1 }, 'granularity'],
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'timezone'],
  ])('rejects %s', async (_name, request, field) => {
    const { status, json } = await stats(request);
    expect(status).toBe(422);
    expect(json.detail).toEqual([{ type: 'value_error', loc: ['body', field], msg: expect.any(String) }]);
  });

  test('raises a granularity that is too fine [calls 109]', async () => {
    const { json } = await stats({ end: '2024-01-31T00:00:00Z', granularity: 1, call_metrics: counts });
    expect(json.granularity).toBe(260);
    expect(json.call_buckets).toHaveLength(9970);
  });

  test('returns every bucket of a range without calls [calls 110]', async () => {
    expect(await callBuckets(counts)).toEqual([
      { timestamp: '2024-01-01T00:00:00+00:00', sum_call_count: 0, count: 0 },
      { timestamp: '2024-01-01T00:30:00+00:00', sum_call_count: 0, count: 0 },
    ]);
    expect(await usageBuckets([{ metric: 'total_tokens' }])).toEqual([]);
  });

  test('counts a call in the bucket of its start, and excludes the end of the range, in whole seconds', async () => {
    await project.log(
      { started_at: '2023-12-31T23:59:59.999Z' },
      { started_at: '2024-01-01T00:00:10.2Z' },
      { started_at: '2024-01-01T00:29:59.999999Z' },
      { started_at: '2024-01-01T00:30:00Z' },
      { started_at: '2024-01-01T00:59:58.999Z' },
      { started_at: '2024-01-01T00:59:59.1Z' },
    );
    const request = { start: '2024-01-01T00:00:10.7Z', end: '2024-01-01T00:59:59.9Z' };
    expect((await callBuckets(counts, request)).map((bucket: Fields) => bucket.count)).toEqual([2, 2]);
  });

  test('a range without an end lasts until now', async () => {
    const now = Date.now();
    await project.log({ started_at: new Date(now - 60_000).toISOString() });
    const { json } = await stats({
      start: (now - 3_600_000) / 1000,
      end: null,
      granularity: null,
      call_metrics: counts,
    });
    expect(json.granularity).toBe(300);
    expect(Date.parse(json.end)).toBeGreaterThanOrEqual(now);
    expect(json.call_buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(1);
  });

  test('days begin at midnight in the time zone', async () => {
    await project.log({ started_at: at(1) });
    const request = { granularity: 86_400, timezone: 'Asia/Kolkata', call_metrics: counts };
    const { json } = await stats(request);
    expect(json.timezone).toBe('Asia/Kolkata');
    expect(json.call_buckets).toEqual([{ timestamp: '2024-01-01T00:00:00+05:30', sum_call_count: 1, count: 1 }]);
  });

  test.each([
    [
      'forward',
      '2024-03-30T11:00:00Z',
      ['2024-03-30T22:59:59Z', '2024-03-30T23:00:00Z', '2024-03-31T21:59:59Z', '2024-03-31T22:00:00Z'],
    ],
    [
      'back',
      '2024-10-26T11:00:00Z',
      ['2024-10-26T21:59:59Z', '2024-10-26T22:00:00Z', '2024-10-27T22:59:59Z', '2024-10-27T23:00:00Z'],
    ],
  ])('also when clocks go %s: that day is shorter or longer', async (_name, from, times) => {
    await project.log(...times.map((started_at) => ({ started_at, summary: { usage: { m: { total_tokens: 1 } } } })));
    const end = new Date(Date.parse(from) + 2.4 * 86_400_000).toISOString();
    const asked = { start: from, end, granularity: 86_400, timezone: 'Europe/Berlin' };
    const { json } = await stats({ ...asked, call_metrics: counts, usage_metrics: [{ metric: 'total_tokens' }] });
    expect(json.call_buckets.map(({ count }: { count: number }) => count)).toEqual([1, 2, 1]);
    expect(json.usage_buckets.map((bucket: Fields) => bucket.sum_total_tokens)).toEqual([1, 2, 1]);
    for (const { timestamp } of json.call_buckets) expect(timestamp).toContain('T00:00:00+0');
  });

  test('accepts a range before any call', async () => {
    const request = { start: '0001-01-01', end: '0001-01-02', granularity: null };
    expect(await callBuckets(counts, request)).toHaveLength(4);
  });
});

describe('calls', () => {
  test('reports latencies, and null or an average of 0 in an empty bucket [calls 111]', async () => {
    await project.log({ started_at: at(0), ended_at: at(0, 2) }, { started_at: at(1), ended_at: at(1, 4) });
    const [first, second] = await callBuckets([
      { metric: 'latency_ms', aggregations: ['avg', 'max'], percentiles: [50, 99.9] },
    ]);
    expect(first).toEqual({
      ...{ timestamp: '2024-01-01T00:00:00+00:00', avg_latency_ms: 3000, max_latency_ms: 4000 },
      ...{ p50_latency_ms: 3000, 'p99.9_latency_ms': 3998, count: 2 },
    });
    expect(second).toEqual({
      ...{ timestamp: '2024-01-01T00:30:00+00:00', avg_latency_ms: 0, max_latency_ms: null },
      ...{ p50_latency_ms: null, 'p99.9_latency_ms': null, count: 0 },
    });
  });

  test.each([101, -1])('rejects the percentile %d [calls 111]', async (percentile) => {
    for (const name of ['call_metrics', 'usage_metrics']) {
      const metric = name === 'call_metrics' ? 'latency_ms' : 'total_cost';
      const answer = await stats({ [name]: [{ metric, percentiles: [percentile] }] });
      expect(answer.status).toBe(400);
      expect(answer.json.reason).toContain(String(percentile));
    }
  });

  test('accepts at most 100 different percentiles', async () => {
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index / 2);
    const ask = (percentiles: number[]) => stats({ call_metrics: [{ metric: 'latency_ms', percentiles }] });
    expect((await ask([...upTo(100), ...upTo(100)])).status).toBe(200);
    expect((await ask(upTo(101))).status).toBe(400);
  });

  test('computes every aggregation when some values are missing', async () => {
    await project.log({ started_at: at(0), ended_at: at(0, 1) }, { started_at: at(1), ended_at: at(1) });
    await project.log({ started_at: at(2), ended_at: at(1) }); // ends before it starts
    await project.post('/call/start', { start: startOf(project.name, { started_at: at(3) }) });
    const aggregations = ['sum', 'avg', 'min', 'max', 'count', 'count_true', 'count_false'];
    const [first, second] = await callBuckets([{ metric: 'latency_ms', aggregations }]);
    expect(first).toEqual({
      ...{ timestamp: '2024-01-01T00:00:00+00:00', sum_latency_ms: 1000, avg_latency_ms: 500, min_latency_ms: 0 },
      ...{ max_latency_ms: 1000, count_latency_ms: 2, count_true_latency_ms: 1, count_false_latency_ms: 1, count: 4 },
    });
    expect(second).toEqual({
      ...{ timestamp: '2024-01-01T00:30:00+00:00', sum_latency_ms: 0, avg_latency_ms: 0, min_latency_ms: null },
      ...{ max_latency_ms: null, count_latency_ms: 0, count_true_latency_ms: 0, count_false_latency_ms: 0, count: 0 },
    });
  });

  test('a bucket whose calls have no latency is like an empty one', async () => {
    await project.post('/call/start', { start: startOf(project.name, { started_at: at(0) }) });
    const metric = { metric: 'latency_ms', aggregations: ['sum', 'avg', 'min'], percentiles: [50] };
    expect((await callBuckets([metric]))[0]).toEqual({
      ...{ timestamp: '2024-01-01T00:00:00+00:00', sum_latency_ms: 0, avg_latency_ms: 0, min_latency_ms: null },
      ...{ p50_latency_ms: null, count: 1 },
    });
  });

  test('returns the keys of the requested aggregations and percentiles', async () => {
    const keys = async (metric: Fields) =>
      Object.keys((await callBuckets([{ metric: 'latency_ms', ...metric }]))[0]).filter((key) => key !== 'timestamp');
    expect(await keys({})).toEqual(['sum_latency_ms', 'count']);
    expect(await keys({ aggregations: [], percentiles: [] })).toEqual(['sum_latency_ms', 'count']);
    expect(await keys({ aggregations: [], percentiles: [50.0, '95'] })).toEqual([
      'p50_latency_ms',
      'p95_latency_ms',
      'count',
    ]);
    expect(await keys({ percentiles: [50] })).toEqual(['sum_latency_ms', 'p50_latency_ms', 'count']);
  });

  test('merges a metric that is requested twice', async () => {
    const [first] = await callBuckets([
      { metric: 'latency_ms', aggregations: ['min'] },
      { metric: 'latency_ms', aggregations: ['max'], percentiles: [50] },
    ]);
    expect(Object.keys(first)).toEqual(['timestamp', 'min_latency_ms', 'max_latency_ms', 'p50_latency_ms', 'count']);
  });

  test('counts calls with an exception as errors', async () => {
    await project.log({ exception: 'no' }, { summary: { status_counts: { error: 1 } } }, {});
    const errors = { metric: 'error_count', aggregations: ['sum', 'avg', 'count_true', 'count_false'] };
    expect((await callBuckets([errors, ...counts]))[0]).toMatchObject({
      ...{ sum_error_count: 1, avg_error_count: 1 / 3, count_true_error_count: 1, count_false_error_count: 2 },
      sum_call_count: 3,
    });
  });

  test('ignores an end alone and a deleted call, and counts a call sent twice once [calls 30]', async () => {
    const [id] = await project.log({}, usage({ m: { total_tokens: 7 } }));
    await project.log({ id, exception: 'again', ...usage({ m: { total_tokens: 5 } }) });
    const [deleted] = await project.log(usage({ m: { total_tokens: 100 } }));
    await project.post('/calls/delete', { project_id: project.name, call_ids: [deleted] });
    const end = { project_id: project.name, id: startOf(project.name).id, ended_at: at(1), summary: {} };
    await project.post('/call/end', { end });
    expect((await callBuckets([...counts, { metric: 'error_count' }]))[0]).toMatchObject({
      sum_call_count: 2,
      sum_error_count: 1,
    });
    expect((await usageBuckets([{ metric: 'total_tokens' }]))[0]).toMatchObject({ sum_total_tokens: 12, count: 2 });
  });

  test.each([
    ['an unknown metric', { call_metrics: [{ metric: 'cost' }] }],
    ['a usage metric', { call_metrics: [{ metric: 'total_tokens' }] }],
    ['an unknown aggregation', { call_metrics: [{ metric: 'latency_ms', aggregations: ['median'] }] }],
    ['no start', { start: null }],
    ['a percentile that is not a number', { call_metrics: [{ metric: 'latency_ms', percentiles: ['high'] }] }],
  ])('rejects %s', async (_name, request) => {
    expect((await stats(request)).status).toBe(422);
  });
});

describe('usage', () => {
  const totals = [{ metric: 'total_tokens' }];

  test('returns a row for each bucket and model, in order [calls 112]', async () => {
    await project.log(
      { started_at: at(1), ...usage({ b: { total_tokens: 1 }, a: { total_tokens: 2 } }) },
      { started_at: at(2), ...usage({ b: { total_tokens: 3 } }) },
      { started_at: at(31), ...usage({ a: { total_tokens: 4 } }) },
      { started_at: at(61), ...usage({ c: { total_tokens: 5 } }) },
      { started_at: at(3) },
    );
    const [first, second] = ['2024-01-01T00:00:00+00:00', '2024-01-01T00:30:00+00:00'];
    expect(await usageBuckets(totals)).toEqual([
      { timestamp: first, model: 'a', sum_total_tokens: 2, count: 1 },
      { timestamp: first, model: 'b', sum_total_tokens: 4, count: 2 },
      { timestamp: second, model: 'a', sum_total_tokens: 4, count: 1 },
      { timestamp: second, model: 'b', sum_total_tokens: 0, count: 0 },
    ]);
  });

  test('adds up tokens reported under both of their names [calls 113]', async () => {
    await project.log(
      usage({ m: { prompt_tokens: 100, input_tokens: 10, completion_tokens: 3, output_tokens: 4 } }),
      usage({ m: { prompt_tokens: 1, cache_read_input_tokens: 5, cache_creation_input_tokens: 6, total_tokens: 9 } }),
    );
    const aggregations = ['sum', 'max', 'count'];
    const metric = (name: string) => ({ metric: name, aggregations });
    const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
    expect((await usageBuckets([...names, 'total_tokens'].map(metric)))[0]).toMatchObject({
      ...{ sum_input_tokens: 111, max_input_tokens: 110, count_input_tokens: 2, sum_output_tokens: 7 },
      ...{ sum_cache_read_input_tokens: 5, sum_cache_creation_input_tokens: 6 },
      ...{ sum_total_tokens: 9, max_total_tokens: 9, count_total_tokens: 1, count: 2 },
    });
  });

  test('interpolates percentiles', async () => {
    await project.log(...[1, 2, 3, 4].map((total_tokens) => usage({ m: { total_tokens } })));
    const metric = { metric: 'total_tokens', aggregations: [], percentiles: [0, 50, 100] };
    expect((await usageBuckets([metric]))[0]).toMatchObject({
      ...{ p0_total_tokens: 1, p50_total_tokens: 2.5, p100_total_tokens: 4 },
    });
  });

  test('total_cost uses the prices of the project [calls 114]', async () => {
    const price = { prompt_token_cost: 1, completion_token_cost: 2 };
    const cached = { cache_read_input_token_cost: 0.5, cache_creation_input_token_cost: 3 };
    await project.post('/cost/create', { project_id: project.name, costs: { m: { ...price, ...cached } } });
    const tokens = { prompt_tokens: 100, input_tokens: 10, completion_tokens: 5 };
    await project.log(usage({ m: { ...tokens, cache_read_input_tokens: 20, cache_creation_input_tokens: 10 } }));
    const metrics = ['input_cost', 'output_cost', 'total_cost'].map((metric) => ({ metric, aggregations: ['avg'] }));
    expect(await usageBuckets(metrics, { granularity: 3600 })).toEqual([
      {
        ...{ timestamp: '2024-01-01T00:00:00+00:00', model: 'm', sum_input_tokens: 110, sum_output_tokens: 5 },
        ...{ sum_input_cost: 80, sum_output_cost: 10, sum_total_cost: 130, count: 1 },
        ...{ unpriced_tokens: 0, is_at_least: false, is_estimate: false },
      },
    ]);
  });

  test('a model without a price costs 0, and says how many tokens have none [calls 114]', async () => {
    await project.log(usage({ 'a model of nobody': { prompt_tokens: 1 } }));
    expect((await usageBuckets([{ metric: 'total_cost', percentiles: [50] }]))[0]).toEqual({
      ...{ timestamp: '2024-01-01T00:00:00+00:00', model: 'a model of nobody' },
      ...{ sum_input_tokens: 1, sum_output_tokens: 0, sum_total_cost: 0, count: 1 },
      ...{ unpriced_tokens: 1, is_at_least: true, is_estimate: false },
    });
  });

  test('counts the usage of the roots or of all calls [calls 115]', async () => {
    const [root] = await project.log(usage({ m: { total_tokens: 10 } }));
    await project.log({ parent_id: root, ...usage({ m: { total_tokens: 10 } }) });
    const rootsOnly = { filter: { trace_roots_only: true } };
    expect((await usageBuckets(totals, rootsOnly))[0]).toMatchObject({ sum_total_tokens: 10, count: 1 });
    expect((await usageBuckets(totals))[0]).toMatchObject({ sum_total_tokens: 20, count: 2 });
    expect((await callBuckets(counts, rootsOnly))[0]).toMatchObject({ sum_call_count: 1 });
  });

  test('counts the usage of every OTLP span, even with roots only [calls 115]', async () => {
    const [entity, name] = project.name.split('/');
    const attributes = { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 10 };
    const time = { startTimeUnixNano: '1704067200000000000', endTimeUnixNano: '1704067201000000000' };
    const span = { traceId: '0af7651916cd43dd8448eb211c80319c', attributes, ...time };
    const spans = [
      { ...span, spanId: 'b7ad6b7169203331' },
      { ...span, spanId: 'b7ad6b7169203332', parentSpanId: 'b7ad6b7169203331' },
    ];
    const body = otlpJson(spans, { 'wandb.entity': entity, 'wandb.project': name });
    expect((await project.post('/otel/v1/traces', body)).status).toBe(200);
    const rootsOnly = { filter: { trace_roots_only: true } };
    const metric = [{ metric: 'input_tokens' }];
    expect((await usageBuckets(metric, rootsOnly))[0]).toMatchObject({ sum_input_tokens: 20, count: 2 });
    expect((await callBuckets(counts, rootsOnly))[0]).toMatchObject({ sum_call_count: 1 });
  });

  test.each([{}, { usage_metrics: [], call_metrics: [] }, { usage_metrics: null, call_metrics: null }])(
    'returns no buckets for %j [calls 115]',
    async (request) => {
      const { status, json } = await stats(request);
      expect(status).toBe(200);
      expect(json).toMatchObject({ granularity: 0, usage_buckets: [], call_buckets: [] });
    },
  );

  test('rejects an answer with millions of rows', async () => {
    const models = Array.from({ length: 21 }, (_, index) => [`m${index}`, { total_tokens: 1 }]);
    await project.log(usage(Object.fromEntries(models)));
    const request = { end: '2024-01-31T00:00:00Z', granularity: 1, usage_metrics: totals };
    const { status, json } = await stats(request);
    expect(status).toBe(422);
    expect(json.reason).toContain('coarser granularity');
  });
});

describe('the filter', () => {
  const op = `weave:///e/p/op/f:${'a'.repeat(44)}`;
  const total = async (filter: Fields) => (await callBuckets(counts, { filter, granularity: 3600 }))[0].sum_call_count;

  test('selects calls by their fields', async () => {
    const [first, second] = await project.log(
      { op_name: op, wb_run_id: `${project.name}/run1` },
      { op_name: 'plain' },
      {},
    );
    await project.log({ parent_id: first, trace_id: '0af7651916cd43dd8448eb211c80319c' });
    expect(await total({ op_names: [op, 'plain'] })).toBe(2);
    expect(await total({ call_ids: [first, second] })).toBe(2);
    expect(await total({ parent_ids: [first] })).toBe(1);
    expect(await total({ trace_ids: ['0af7651916cd43dd8448eb211c80319c'] })).toBe(1);
    expect(await total({ wb_run_ids: ['run1'] })).toBe(1);
    expect(await total({ wb_user_ids: ['nobody'] })).toBe(0);
    expect(await total({ trace_roots_only: true })).toBe(3);
    expect(await total({ trace_roots_only: true, op_names: ['plain'] })).toBe(1);
    expect(await total({ op_names: [], call_ids: [] })).toBe(4);
  });

  test('op names have no wildcards', async () => {
    await project.log({ op_name: op });
    expect(await total({ op_names: ['weave:///e/p/op/f:*'] })).toBe(0);
  });

  test('ignores other fields', async () => {
    await project.log({});
    expect(await total({ thread_ids: [], turn_ids: ['x'], input_refs: ['x'], output_refs: ['x'] })).toBe(1);
  });

  test('applies to usage too', async () => {
    await project.log({ op_name: op, ...usage({ m: { total_tokens: 1 } }) }, usage({ n: { total_tokens: 1 } }));
    const rows = await usageBuckets([{ metric: 'total_tokens' }], { filter: { op_names: [op] }, granularity: 3600 });
    expect(rows).toMatchObject([{ model: 'm', count: 1 }]);
  });

  test('rejects lists that are too long', async () => {
    const op_names = Array.from({ length: 1001 }, () => 'op');
    const { status, json } = await stats({ call_metrics: counts, filter: { op_names } });
    expect(status).toBe(400);
    expect(json.reason).toContain('op_names');
  });
});

describe('a query', () => {
  const query = (path: string, value: unknown) => ({ $expr: { $eq: [{ $getField: path }, { $literal: value }] } });

  test('selects the calls that are measured', async () => {
    const tokens = (total: number) => usage({ 'toy-1': { total_tokens: total } });
    await project.log({ inputs: { city: 'Oslo' }, ...tokens(5) }, { inputs: { city: 'Rome' }, ...tokens(7) });
    const selected = { query: query('inputs.city', 'Oslo') };
    expect(await callBuckets(counts, selected)).toMatchObject([{ sum_call_count: 1 }, { sum_call_count: 0 }]);
    const measured = await usageBuckets([{ metric: 'total_tokens' }], selected);
    expect(measured[0]).toMatchObject({ model: 'toy-1', sum_total_tokens: 5 });
  });

  test('may ask for feedback on them', async () => {
    const [liked] = await project.log({}, {});
    const about = { project_id: project.name, weave_ref: `weave:///${project.name}/call/${liked}` };
    await project.post('/feedback/create', { ...about, feedback_type: 'custom', payload: { good: true } });
    const selected = { query: query('feedback.[custom].payload.good', true) };
    expect(await callBuckets(counts, selected)).toMatchObject([{ sum_call_count: 1 }, { sum_call_count: 0 }]);
  });

  test('that cannot be read is refused', async () => {
    expect(await stats({ call_metrics: counts, query: query('nothing', 1) })).toMatchObject({ status: 422 });
    expect(await stats({ call_metrics: counts, query: { $expr: {} } })).toMatchObject({ status: 422 });
  });
});

describe('groups', () => {
  const tokens = (model: string, count: number) => usage({ [model]: { prompt_tokens: count, requests: 1 } });
  const op = (name: string, version: string) => `weave:///${project.name}/op/${name}:${version}`;

  test('measures the groups with most calls, each for itself', async () => {
    await project.log(
      { op_name: op('ask', 'v1'), started_at: at(0), ended_at: at(0, 2), ...tokens('m', 10) },
      { op_name: op('ask', 'v2'), started_at: at(40), ended_at: at(40, 4), ...tokens('n', 5) },
      { op_name: 'plain', started_at: at(1), ended_at: at(1, 1), exception: 'no', ...tokens('m', 1) },
      { op_name: 'plain', started_at: at(2), ended_at: at(2, 1) },
      { op_name: 'rare', started_at: at(3), ended_at: at(3, 1) },
    );
    const request = {
      group_by: 'op',
      group_limit: 2,
      call_metrics: counts,
      usage_metrics: [{ metric: 'input_tokens' }],
    };
    const { json } = await stats(request);
    expect(json.groups).toEqual([
      { name: 'ask', title: 'ask', calls: 2 },
      { name: 'plain', title: 'plain', calls: 2 },
    ]);
    expect(json.group_count).toBe(3);
    const counted = json.call_buckets.map((bucket: Fields) => [bucket.group, bucket.sum_call_count]);
    expect(counted).toEqual([
      ['ask', 1],
      ['ask', 1],
      ['plain', 2],
      ['plain', 0],
    ]);
    const used = json.usage_buckets.map((bucket: Fields) => [bucket.group, bucket.model, bucket.sum_input_tokens]);
    expect(used).toEqual([
      ['ask', 'm', 10],
      ['ask', 'n', 0],
      ['ask', 'm', 0],
      ['ask', 'n', 5],
      ['plain', 'm', 1],
      ['plain', 'm', 0],
    ]);
  });

  test('a call belongs to the group of each model that it reports', async () => {
    await project.log(
      { started_at: at(0), ...usage({ m: { prompt_tokens: 1 }, n: { prompt_tokens: 2 } }) },
      { started_at: at(1), ...tokens('n', 4) },
      { started_at: at(2) },
    );
    const request = { group_by: 'model', granularity: 3600, usage_metrics: [{ metric: 'input_tokens' }] };
    const { json } = await stats({ ...request, call_metrics: counts });
    expect(json.groups).toEqual([
      { name: 'n', title: 'n', calls: 2 },
      { name: '', title: '', calls: 1 },
      { name: 'm', title: 'm', calls: 1 },
    ]);
    expect(json.call_buckets.map((bucket: Fields) => bucket.sum_call_count)).toEqual([2, 1, 1]);
    const used = json.usage_buckets.map((bucket: Fields) => [bucket.group, bucket.model, bucket.sum_input_tokens]);
    expect(used).toEqual([
      ['n', 'n', 6],
      ['m', 'm', 1],
    ]);
  });

  test('users are named, and a project without calls has no groups', async () => {
    expect((await stats({ group_by: 'user', call_metrics: counts })).json).toMatchObject({
      groups: [],
      call_buckets: [],
    });
    await project.log({ started_at: at(0) });
    const { groups, group_count } = (await stats({ group_by: 'user', call_metrics: counts })).json;
    expect([groups, group_count]).toMatchObject([[{ title: 'ent', calls: 1 }], 1]);
    expect((await stats({ group_by: 'op', group_limit: 21 })).status).toBe(422);
  });
});
