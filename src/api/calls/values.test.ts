import { describe, expect, test } from 'vitest';
import { completeOf, endOf, startOf } from '../testing/calls.ts';
import { freshProject } from '../testing/fresh-project.ts';

const project = freshProject();

/** A field of a call as JSON text, since numbers must keep their digits. */
const withField = (call: object, field: string, json: string) =>
  JSON.stringify({ ...call, [field]: 'VALUE' }).replace('"VALUE"', json);

const refused: [field: string, json: string, reason: string][] = [
  ['started_at', '"0001-01-01T00:00:00Z"', 'found 0001-01-01T00:00:00Z'],
  ['started_at', '"1600-01-01T00:00:00Z"', 'found 1600-01-01T00:00:00Z'],
  ['started_at', '"2300-01-01T00:00:00Z"', 'found 2300-01-01T00:00:00Z'],
  ['started_at', '"9999-12-31T23:59:59.999999Z"', 'found 9999-12-31T23:59:59Z'],
  ['started_at', '1e30', 'found a time after 9999'],
  ['started_at', '-1e400', 'found a time before 0001'],
  ['ended_at', '"9999-12-31T00:00:00Z"', 'found 9999-12-31T00:00:00Z'],
  ['wb_run_step', '1e30', 'must be at most 9223372036854775807, found 1e30'],
  ['wb_run_step', '1e400', 'must be at most 9223372036854775807, found 1e400'],
  ['wb_run_step', '9223372036854775808', 'must be at most 9223372036854775807, found 9223372036854775808'],
  ['wb_run_step', '-1', 'must not be negative, found -1'],
  ['wb_run_step_end', '9223372036854775808', 'must be at most 9223372036854775807'],
  ['summary', '{"usage":{"m":{"input_tokens":1e30}}}', 'summary.usage["m"].input_tokens must lie between'],
  ['summary', '{"usage":{"m":{"requests":9007199254740993}}}', 'found 9007199254740993'],
  ['summary', '{"usage":{"m":{"total_tokens":1e400}}}', 'found 1e400'],
  ['summary', '{"usage":{"m":{"total_tokens":"99999999999999999999"}}}', 'found 99999999999999999999'],
];

describe.each(refused)('%s of %s is refused with its field, its range and what was found', (field, json, reason) => {
  const isOfStart = field === 'started_at' || field === 'wb_run_step';

  test('alone in a batch of whole calls', async () => {
    const [bad, good] = [completeOf(project.name), completeOf(project.name)];
    const batch = `{"batch":[${withField(bad, field, json)},${JSON.stringify(good)}]}`;
    const answer = await project.post(`/v2/${project.name}/calls/complete`, batch);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.rejected).toEqual([{ id: bad.id, reason: expect.stringContaining(reason) }]);
    expect(answer.json.rejected[0].reason).toContain(field);
    const { lines } = await project.post('/calls/stream_query', { project_id: project.name });
    expect(lines.map(({ id }) => id)).toEqual([good.id]);
  });

  test('alone in a batch of starts and ends', async () => {
    const [bad, good] = [startOf(project.name), startOf(project.name)];
    const badText = withField(isOfStart ? bad : endOf(bad), field, json);
    const kind = isOfStart ? 'start' : 'end';
    const items = [`{"mode":"${kind}","req":{"${kind}":${badText}}}`, JSON.stringify({ req: { start: good } })];
    const answer = await project.post('/call/upsert_batch', `{"batch":[${items}]}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.res).toEqual([
      { reason: expect.stringContaining(reason) },
      { id: good.id, trace_id: good.trace_id },
    ]);
  });

  test.each([
    ['/call/start', '/call/end'],
    ['/v2/PROJECT/call/start', '/v2/PROJECT/call/end'],
  ])('by %s or %s', async (startPath, endPath) => {
    const start = startOf(project.name);
    const at = (path: string) => path.replace('PROJECT', project.name);
    const answer = isOfStart
      ? await project.post(at(startPath), `{"start":${withField(start, field, json)}}`)
      : await project.post(at(endPath), `{"end":${withField(endOf(start), field, json)}}`);
    expect(answer.status).toBe(400);
    expect(answer.json.reason).toContain(reason);
  });
});

describe('what is stored comes back', () => {
  test.each([
    '1684-07-28T00:12:25.259009Z',
    '1700-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999Z',
    '1970-01-01T00:00:00Z',
    '2255-06-05T23:47:34.740991Z',
  ])('a call at %s', async (time) => {
    const [id] = await project.log({ started_at: time, ended_at: time });
    const { lines } = await project.post('/calls/stream_query', { project_id: project.name });
    expect(lines).toMatchObject([{ id, started_at: time, ended_at: time }]);
  });

  test.each([
    ['9223372036854775807', '9223372036854775807'],
    ['9007199254740993', '9007199254740993'],
    ['"9007199254740993"', '9007199254740993'],
    ['9007199254740993.0', '9007199254740993'],
    ['1e18', '1000000000000000000'],
    ['0', '0'],
    ['true', '1'],
    ['null', 'null'],
  ])('a step of %s', async (json, shown) => {
    const call = completeOf(project.name);
    const answer = await project.post(
      `/v2/${project.name}/calls/complete`,
      `{"batch":[${withField(call, 'wb_run_step', json)}]}`,
    );
    expect(answer.text).toBe('{}');
    for (const path of ['/calls/stream_query', '/call/read']) {
      const { text } = await project.post(path, { project_id: project.name, id: call.id });
      expect(text).toContain(`"wb_run_step":${shown},`);
    }
  });

  test.each(['1e400', '99999999999999999999', '-9223372036854775809', '[1e999]'])(
    'the usage of a summary that also holds %s',
    async (number) => {
      const call = completeOf(project.name);
      const summary = `{"usage":{"m":{"prompt_tokens":1,"input_tokens":2,"output_tokens":4}},"other":${number}}`;
      await project.post(`/v2/${project.name}/calls/complete`, `{"batch":[${withField(call, 'summary', summary)}]}`);
      const { json } = await project.post('/calls/usage', { project_id: project.name, call_ids: [call.id] });
      expect(json.call_usage[call.id].m).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 });
    },
  );

  test('sums of tokens do not wrap', async () => {
    const usage = { m: { input_tokens: Number.MAX_SAFE_INTEGER } };
    await project.log(...Array.from({ length: 1100 }, () => ({ summary: { usage } })));
    const range = { start: '2024-01-01T00:00:00Z', end: '2024-01-01T01:00:00Z' };
    const metrics = [{ metric: 'input_tokens', aggregations: ['sum', 'avg', 'max'] }];
    const { json, text } = await project.post('/calls/stats', {
      ...{ project_id: project.name, ...range, usage_metrics: metrics, granularity: 3600 },
    });
    const [bucket] = json.usage_buckets ?? [];
    expect(bucket, text).toBeDefined();
    expect(bucket.sum_input_tokens).toBeCloseTo(1100 * 2 ** 53, -10);
    expect(bucket.max_input_tokens).toBe(Number.MAX_SAFE_INTEGER);
  });
});

test('a name for an id that no call can have is refused', async () => {
  const answer = await project.post('/call/update', { project_id: project.name, call_id: 'no id', display_name: 'n' });
  expect([answer.status, answer.json.reason]).toEqual([400, expect.stringContaining('Invalid UUID: "no id"')]);
});

test('deleting ids that no call can have deletes nothing', async () => {
  const [id] = await project.log({});
  const answer = await project.post('/calls/delete', {
    project_id: project.name,
    call_ids: ['', 'x'.repeat(10_000), id],
  });
  expect([answer.status, answer.json]).toEqual([200, { num_deleted: 1 }]);
});
