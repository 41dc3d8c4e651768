import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { completeOf } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeEach(async () => {
  project = await server.newProject();
});

type Attempt = {
  example: unknown;
  scores: Record<string, unknown>;
  output?: unknown;
  /** What the model's call reports; it has no call of its own where this is left out. */
  usage?: Record<string, object>;
};

const op = (name: string) => `weave:///${project}/op/${name}:${'0'.repeat(43)}`;
const modelRef = () => `weave:///${project}/object/m:${'1'.repeat(43)}`;

/** Records an evaluation as the SDK does, and returns the id of its root call. */
async function record(attempts: Attempt[], { trialOp = 'Evaluation.predict_and_score' } = {}): Promise<string> {
  const root = completeOf(project, {
    op_name: op('Evaluation.evaluate'),
    display_name: 'eval',
    inputs: { self: `weave:///${project}/object/e:${'2'.repeat(43)}`, model: modelRef() },
  });
  const calls = attempts.flatMap(({ example, scores, output = null, usage }, i) => {
    const trial = completeOf(project, {
      trace_id: root.trace_id,
      parent_id: root.id,
      op_name: op(trialOp),
      started_at: new Date(Date.UTC(2024, 0, 1, 0, 0, i)).toISOString(),
      inputs: { self: 'x', model: modelRef(), example },
      output: { output, scores },
    });
    const child = { trace_id: root.trace_id, parent_id: trial.id, started_at: trial.started_at };
    const predict = completeOf(project, {
      ...{ ...child, op_name: op('m.predict'), inputs: { self: modelRef() }, output, summary: { usage: usage ?? {} } },
      ended_at: new Date(Date.parse(trial.started_at) + 1500).toISOString(),
    });
    const scorers = Object.keys(scores).map((name) =>
      completeOf(project, { ...child, op_name: op(`${name}.score`), attributes: { weave: { score: 'true' } } }),
    );
    return [trial, ...(usage ? [predict] : []), ...scorers];
  });
  const answer = await server.post(`/v2/${project}/calls/complete`, { batch: [root, ...calls] });
  expect(answer.text).toBe('{}');
  return root.id;
}

async function query(body: Record<string, unknown>) {
  const answer = await server.post(`/v2/${project}/eval_results/query`, body);
  return { ...answer, ...answer.json };
}

/** The `q` of the rows in an answer, in order. */
async function questions(body: Record<string, unknown>): Promise<string[]> {
  const { rows } = await query({ include_raw_data_rows: true, ...body });
  return rows.map((row: { raw_data_row: { q: string } }) => row.raw_data_row.q);
}

const sorted = (list: string[]) => list.toSorted();
const getField = (field: string) => ({ $getField: field });
const above = (field: string, number: number) => ({
  query: { $expr: { $gt: [{ $convert: { input: getField(field), to: 'double' } }, { $literal: number }] } },
});
const equals = (field: string, value: unknown) => ({
  query: { $expr: { $eq: [getField(field), { $literal: value }] } },
});

describe('requests', () => {
  test('a body that names no evaluation is refused [evaluations 110]', async () => {
    expect((await query({})).status).toBe(422);
    expect((await query({ evaluation_call_ids: [], evaluation_run_ids: [] })).status).toBe(422);
  });

  test('unknown evaluations have no rows [evaluations 111]', async () => {
    const { status, json } = await query({ evaluation_call_ids: [randomUUID()], include_summary: true });
    expect([status, json]).toEqual([
      200,
      { rows: [], total_rows: 0, summary: { row_count: 0, evaluations: [] }, warnings: [] },
    ]);
  });

  test('an evaluation named in both lists counts once [evaluations 112]', async () => {
    const id = await record([{ example: { q: 'a' }, scores: { s: 1 } }]);
    const { rows } = await query({ evaluation_call_ids: [id], evaluation_run_ids: [id] });
    expect(rows[0].evaluations).toHaveLength(1);
  });

  test.each([
    [
      'sort_by',
      [{ field: 'bogus', direction: 'asc' }],
      /Unsupported sort field: 'bogus'.*scores\.\*, inputs\.\*, output\.\*/,
    ],
    ['sort_by', [{ field: 'row_digest', direction: 'asc' }], /Unsupported sort field/],
    ['sort_by', [{ field: 'output.output', direction: 'asc', mode: 'difference' }], /only supports numeric fields/],
    ['filters', [equals('bogus.q', 'x')], /Unsupported eval results field: 'bogus.q'/],
    ['filters', [equals('scores', 'x')], /Unsupported eval results field/],
  ])('refuses %s %j [evaluations 126 127 129]', async (name, value, reason) => {
    const { status, json } = await query({ evaluation_call_ids: [randomUUID()], [name]: value });
    expect([status, json.reason]).toEqual([400, expect.stringMatching(reason)]);
  });
});

describe('trials', () => {
  test('show every field, as it was recorded [evaluations 135]', async () => {
    const usage = { 'gpt-4o': { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, requests: 1 } };
    const id = await record([{ example: { q: 'a' }, scores: { exact: 1.0 }, output: 'A', usage }]);
    const { text, rows, total_rows } = await query({ evaluation_call_ids: [id], include_costs: true });
    expect(total_rows).toBe(1);
    const [{ row_digest, evaluations }] = rows;
    expect(row_digest).toMatch(/^[A-Za-z0-9]{43}$/);
    expect(evaluations).toEqual([
      {
        evaluation_call_id: id,
        trials: [
          {
            predict_and_score_call_id: expect.any(String),
            predict_call_id: expect.any(String),
            model_output: 'A',
            scores: { exact: 1 },
            model_latency_seconds: 1.5,
            total_tokens: 15,
            total_cost: expect.closeTo(10 * 2.5e-6 + 5 * 1e-5, 10),
            is_at_least: false,
            is_estimate: false,
            unpriced_tokens: {},
            scorer_call_ids: { exact: expect.any(String) },
            genai_span_ref: null,
          },
        ],
      },
    ]);
    expect(text).toContain('"scores":{"exact":1}');
  });

  test('without children have neither their ids nor their latency [evaluations 118]', async () => {
    const id = await record([{ example: { q: 'a' }, scores: { exact: 1 }, usage: { m: { total_tokens: 3 } } }]);
    const { rows } = await query({ evaluation_call_ids: [id], include_predict_and_score_children: false });
    expect(rows[0].evaluations[0].trials[0]).toMatchObject({
      predict_call_id: null,
      scorer_call_ids: {},
      model_latency_seconds: null,
    });
  });

  test('of the JavaScript SDK have their scores, and their output under its own name [evaluations 117]', async () => {
    const id = await record([{ example: { q: 'a' }, scores: { s: 1 } }], { trialOp: 'Evaluation.predictAndScore' });
    const { rows } = await query({ evaluation_call_ids: [id] });
    expect(rows[0].evaluations[0].trials[0].scores).toEqual({ s: 1 });
  });

  test('of a deleted evaluation are gone', async () => {
    const id = await record([{ example: { q: 'a' }, scores: { s: 1 } }]);
    await server.post('/calls/delete', { project_id: project, call_ids: [id] });
    expect((await query({ evaluation_call_ids: [id] })).total_rows).toBe(0);
  });
});

describe('rows of a dataset', () => {
  async function overTable(attempts: (rows: string[]) => Attempt[]) {
    const table = await server.post('/table/create', {
      table: {
        project_id: project,
        rows: [
          { q: 'a', n: 2 },
          { q: 'b', n: 1 },
        ],
      },
    });
    const digests: string[] = table.json.row_digests;
    const dataset = {
      _type: 'Dataset',
      _class_name: 'Dataset',
      _bases: ['Object', 'BaseModel'],
      name: 'ds',
      rows: `weave:///${project}/table/${table.json.digest}`,
    };
    const { json } = await server.post('/obj/create', { obj: { project_id: project, object_id: 'ds', val: dataset } });
    const ref = `weave:///${project}/object/ds:${json.digest}`;
    const id = await record(attempts(digests.map((digest) => `${ref}/attr/rows/id/${digest}`)));
    return { id, digests };
  }

  test('are one row with a trial for each attempt, under the digests of the table [evaluations 113]', async () => {
    const { id, digests } = await overTable((refs) =>
      refs.flatMap((example) => [1, 2].map((s) => ({ example, scores: { s } }))),
    );
    const { rows } = await query({ evaluation_call_ids: [id] });
    expect(rows.map((row: any) => [row.row_digest, row.evaluations[0].trials.length])).toEqual(
      digests.toSorted().map((digest) => [digest, 2]),
    );
  });

  test('are shown as refs or as rows [evaluations 114 116]', async () => {
    const { id } = await overTable(([ref]) => [{ example: ref, scores: {} }]);
    const shown = async (more: object) => (await query({ evaluation_call_ids: [id], ...more })).rows[0].raw_data_row;
    expect(await shown({})).toBeNull();
    expect(await shown({ include_raw_data_rows: true })).toMatch(/^weave:\/\/\/.*\/attr\/rows\/id\//);
    expect(await shown({ include_raw_data_rows: true, resolve_row_refs: true })).toEqual({ q: 'a', n: 2 });
  });

  test('have the digest that the same row has inline', async () => {
    const { id, digests } = await overTable(() => [{ example: { n: 2, q: 'a' }, scores: {} }]);
    expect((await query({ evaluation_call_ids: [id] })).rows[0].row_digest).toBe(digests[0]);
  });

  test('can be sorted and filtered by, although the trials only name them', async () => {
    const { id } = await overTable((refs) => refs.map((example) => ({ example, scores: {} })));
    const resolved = { evaluation_call_ids: [id], resolve_row_refs: true };
    expect(await questions({ ...resolved, sort_by: [{ field: 'inputs.n', direction: 'asc' }] })).toEqual(['b', 'a']);
    expect(await questions({ ...resolved, filters: [equals('inputs.q', 'b')] })).toEqual(['b']);
  });

  test('give their values to scores that repeat them', async () => {
    const { id } = await overTable((refs) =>
      refs.map((example) => ({ example, scores: { n: `${example}/key/n`, all: { q: `${example}/key/q` } } })),
    );
    const resolved = { evaluation_call_ids: [id], resolve_row_refs: true, include_summary: true };
    const sort_by = [{ field: 'scores.n', direction: 'asc' }];
    expect(await questions({ ...resolved, sort_by })).toEqual(['b', 'a']);
    const { summary } = await query(resolved);
    expect(summary.evaluations[0].scorer_stats).toMatchObject([
      { scorer_key: 'n', value_type: 'continuous', numeric_mean: 1.5, count: 2 },
      { scorer_key: 'all', path: 'q', value_type: 'text' },
    ]);
  });

  test('that are gone stay refs, with a warning', async () => {
    const example = `weave:///${project}/object/ds:${'3'.repeat(43)}/attr/rows/id/${'4'.repeat(43)}`;
    const id = await record([{ example, scores: {} }]);
    const { rows, warnings } = await query({
      evaluation_call_ids: [id],
      include_raw_data_rows: true,
      resolve_row_refs: true,
    });
    expect(rows[0].raw_data_row).toBe(example);
    expect(warnings).toEqual(['Failed to resolve dataset row refs; raw_data_row may contain refs']);
  });
});

describe('two evaluations', () => {
  let a: string;
  let b: string;
  beforeEach(async () => {
    const run = (...scores: [string, boolean, number, number][]) =>
      record(scores.map(([q, ok, n, v]) => ({ example: { q }, scores: { acc: { ok, n, v } } })));
    a = await run(['x', true, 2, 1.0], ['y', false, 4, 0.2]);
    b = await run(['y', true, 6, 0.9], ['z', true, 1, 0.4]);
  });
  const both = () => ({ evaluation_call_ids: [a, b] });
  const byV = (more: object) => ({ sort_by: [{ field: 'scores.acc.v', ...more }] });

  test('are in each row in the order in which they were asked for [evaluations 121]', async () => {
    const { rows, total_rows } = await query({ evaluation_call_ids: [b, a], require_intersection: true });
    expect(total_rows).toBe(1);
    expect(rows[0].evaluations.map((each: any) => each.evaluation_call_id)).toEqual([b, a]);
  });

  test('have all their rows, ordered by digest, and show rows that were logged inline [evaluations 115]', async () => {
    const { rows, total_rows } = await query(both());
    const digests = rows.map((row: any) => row.row_digest);
    expect([total_rows, digests]).toEqual([3, sorted(digests)]);
    expect(sorted(await questions(both()))).toEqual(['x', 'y', 'z']);
  });

  test('may be narrowed to the rows they share [evaluations 122 123]', async () => {
    expect(await questions({ ...both(), require_intersection: true })).toEqual(['y']);
    const { rows, summary } = await query({
      ...both(),
      require_intersection: true,
      include_summary: true,
      summary_require_intersection: false,
    });
    expect([rows.length, summary.row_count]).toEqual([1, 3]);
  });

  test('are sorted by the mean of all trials of a row, before paging [evaluations 124]', async () => {
    expect(await questions({ ...both(), ...byV({ direction: 'desc' }) })).toEqual(['x', 'y', 'z']);
    expect(await questions({ ...both(), ...byV({ direction: 'asc' }), limit: 1, offset: 1 })).toEqual(['y']);
    const summed = { ...both(), ...byV({ direction: 'asc' }), include_summary: true };
    expect(await questions(summed)).toEqual(['z', 'y', 'x']);
  });

  test('are sorted by one of them, by their difference, and by text', async () => {
    expect(await questions({ ...both(), ...byV({ direction: 'asc', evaluation_call_id: b }) })).toEqual([
      'z',
      'y',
      'x',
    ]);
    const difference = await questions({ ...both(), ...byV({ direction: 'desc', mode: 'difference' }) });
    expect(difference[0]).toBe('y');
    expect(await questions({ ...both(), sort_by: [{ field: 'inputs.q', direction: 'desc' }] })).toEqual([
      'z',
      'y',
      'x',
    ]);
  });

  test('sort truth values as numbers [evaluations 125]', async () => {
    const order = await questions({ ...both(), sort_by: [{ field: 'scores.acc.ok', direction: 'desc' }] });
    expect(order.at(-1)).toBe('y');
  });

  test('are filtered by the first value of a row [evaluations 128]', async () => {
    expect(await questions({ ...both(), filters: [above('scores.acc.v', 0.5)] })).toEqual(['x']);
    expect(await questions({ ...both(), filters: [{ ...above('scores.acc.v', 0.5), evaluation_call_id: b }] })).toEqual(
      ['y'],
    );
  });

  test('join filters for several of them as asked [evaluations 130]', async () => {
    const filters = [
      { ...above('scores.acc.v', 0.5), evaluation_call_id: a },
      { ...above('scores.acc.v', 0.5), evaluation_call_id: b },
    ];
    expect(sorted(await questions({ ...both(), filters }))).toEqual(['x', 'y']);
    expect(await questions({ ...both(), filters, filter_logic_operator: 'and' })).toEqual([]);
  });

  test('compare numbers and truth values without a conversion', async () => {
    const number = { query: { $expr: { $gte: [getField('scores.acc.n'), { $literal: 4 }] } } };
    expect(await questions({ ...both(), filters: [number] })).toEqual(['y']);
    for (const value of [false, 'false', '0']) {
      expect(await questions({ ...both(), filters: [equals('scores.acc.ok', value)] })).toEqual(['y']);
    }
  });

  test('are summed up over the filtered rows', async () => {
    const filtered = { ...both(), filters: [equals('inputs.q', 'y')], include_summary: true };
    const { summary } = await query(filtered);
    const means = summary.evaluations.map(
      (each: any) => each.scorer_stats.find((s: any) => s.path === 'v').numeric_mean,
    );
    expect([summary.row_count, means]).toEqual([1, [0.2, 0.9]]);
  });

  test('are summed up with their names, and compared with the first [evaluations 131 132]', async () => {
    const { summary } = await query({ ...both(), include_summary: true, include_rows: false });
    const ofB = summary.evaluations.find((each: any) => each.evaluation_call_id === b);
    expect(ofB).toMatchObject({
      trial_count: 2,
      evaluation_ref: `weave:///${project}/object/e:${'2'.repeat(43)}`,
      model_ref: modelRef(),
      display_name: 'eval',
      trace_id: expect.any(String),
      started_at: '2024-01-01T00:00:00+00:00',
    });
    expect(ofB.scorer_stats.map((each: any) => [each.path, each.value_type])).toEqual([
      ['ok', 'binary'],
      ['n', 'continuous'],
      ['v', 'continuous'],
    ]);
    expect(ofB.scorer_stats[2]).toMatchObject({
      numeric_mean: 0.65,
      count: 2,
      standard_error: expect.closeTo(0.25, 9),
      paired_difference: { baseline_evaluation_call_id: a, count: 1, mean: expect.closeTo(0.7, 9), interval_95: null },
    });
  });

  test('answer a summary alone, and pages of any size [evaluations 119 120 133]', async () => {
    const { rows, total_rows, summary } = await query({ ...both(), include_rows: false, include_summary: true });
    expect([rows, total_rows, summary.row_count]).toEqual([[], 3, 3]);
    const page = async (more: object) => {
      const answer = await query({ ...both(), ...more });
      return [answer.rows.length, answer.total_rows];
    };
    expect(await page({ limit: 1 })).toEqual([1, 3]);
    expect(await page({ limit: 0 })).toEqual([0, 3]);
    expect(await page({ offset: -3, limit: 1 })).toEqual([1, 3]);
    expect(await page({ offset: 5 })).toEqual([0, 3]);
  });
});

test('tokens and costs of models are summed up, those of scorers left out [evaluations 134]', async () => {
  const usage = { 'gpt-4o': { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, requests: 1 } };
  const id = await record(['a', 'b'].map((q) => ({ example: { q }, scores: { judge: 1 }, usage })));
  const { summary } = await query({ evaluation_call_ids: [id], include_summary: true, include_costs: true });
  expect(summary.evaluations[0]).toMatchObject({
    predict_total_tokens: 30,
    predict_total_cost: expect.closeTo(2 * (10 * 2.5e-6 + 5 * 1e-5), 10),
  });
});

const priced = { 'gpt-4o': { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, requests: 1 } };
const unpriced = (model: string) => ({ [model]: { prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 } });
const dollars = 10 * 2.5e-6 + 5 * 1e-5;

test('costs name the tokens that they leave out, of a trial and of an evaluation', async () => {
  const used = [{ ...priced, ...unpriced('ours') }, unpriced('ours'), unpriced('__proto__'), priced];
  const id = await record(used.map((usage, i) => ({ example: { q: String(i) }, scores: {}, usage })));
  const asked = { evaluation_call_ids: [id], include_summary: true };
  const { rows, summary } = await query({ ...asked, include_costs: true, include_raw_data_rows: true });
  expect(summary.evaluations[0]).toMatchObject({
    predict_total_tokens: 2 * 15 + 3 * 40,
    predict_total_cost: expect.closeTo(2 * dollars, 10),
    predict_is_at_least: true,
    predict_unpriced_tokens: JSON.parse('{"ours":80,"__proto__":40}'),
  });
  const trials = Object.fromEntries(rows.map((row: any) => [row.raw_data_row.q, row.evaluations[0].trials[0]]));
  const cost = expect.closeTo(dollars, 10);
  expect(trials).toMatchObject({
    0: { total_cost: cost, is_at_least: true, unpriced_tokens: { ours: 40 } },
    1: { total_cost: null, is_at_least: true, unpriced_tokens: { ours: 40 } },
    3: { total_cost: cost, is_at_least: false, unpriced_tokens: {} },
  });
  const nothing = { predict_total_cost: null, predict_is_at_least: null, predict_unpriced_tokens: null };
  expect((await query(asked)).summary.evaluations[0]).toMatchObject(nothing);
});

test.each([
  ['exact if all tokens have a price', priced, dollars, false],
  ['"at least" if a count was ignored', { 'gpt-4o': { prompt_tokens: 10, completion_tokens: -5 } }, 25e-6, true],
])('the cost of an evaluation is %s', async (_, usage, cost, isAtLeast) => {
  const id = await record(['a', 'b'].map((q) => ({ example: { q }, scores: {}, usage })));
  const { summary } = await query({ evaluation_call_ids: [id], include_summary: true, include_costs: true });
  expect(summary.evaluations[0]).toMatchObject({
    predict_total_cost: expect.closeTo(2 * cost, 10),
    predict_is_at_least: isAtLeast,
    predict_unpriced_tokens: {},
  });
});
