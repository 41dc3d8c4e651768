import { beforeAll, describe, expect, test } from 'vitest';
import { logCalls, queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const field = (name: string) => ({ $getField: name });
const literal = (value: unknown) => ({ $literal: value });
const byId = (id: string) => ({ $expr: { $eq: [field('id'), literal(id)] } });

type Costs = Record<string, Record<string, unknown>>;

/** Adds prices and returns their ids. */
async function addCosts(project: string, costs: Costs): Promise<string[]> {
  const answer = await server.post('/cost/create', { project_id: project, costs });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.ids.map(([id]: [string]) => id);
}

const queryCosts = (project: string, more: object = {}) => server.post('/cost/query', { project_id: project, ...more });
const purge = (project: string, query: unknown) => server.post('/cost/purge', { project_id: project, query });
const price = (prompt: number, more: object = {}) => ({ prompt_token_cost: prompt, completion_token_cost: 2, ...more });

/** Logs one call and returns what `summary.weave` says of its costs. */
async function costsOf(project: string, usage: object, more: { started_at?: string; summary?: object } = {}) {
  const started_at = more.started_at ?? '2024-01-01T00:00:00Z';
  const [id] = await logCalls(server, project, [{ started_at, summary: { usage, ...more.summary } }]);
  return readCosts(project, id!);
}

async function readCosts(project: string, id: string) {
  const [call] = (await queryCalls(server, project, { filter: { call_ids: [id] }, include_costs: true })).calls;
  const read = await server.post('/call/read', { project_id: project, id, include_costs: true });
  expect(read.json.call.summary).toEqual(call.summary);
  return call.summary.weave.costs;
}

describe('prices of a project', () => {
  test('are created in order, and returned without the defaults [calls 124]', async () => {
    const project = await server.newProject();
    const answer = await server.post('/cost/create', {
      project_id: project,
      costs: {
        zeta: price(1),
        alpha: price(0.5, { provider_id: 'p', effective_date: '2024-05-01T12:00:00.75+02:00' }),
      },
    });
    expect(answer.json.ids).toEqual([
      [expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/), 'zeta'],
      [expect.any(String), 'alpha'],
    ]);
    const { results } = (await queryCosts(project)).json;
    expect(results).toEqual([
      {
        ...{ id: answer.json.ids[0][0], llm_id: 'zeta', prompt_token_cost: 1, completion_token_cost: 2 },
        ...{ cache_read_input_token_cost: 0, cache_creation_input_token_cost: 0 },
        ...{ prompt_token_cost_unit: 'USD', completion_token_cost_unit: 'USD', provider_id: 'default' },
        effective_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      expect.objectContaining({ llm_id: 'alpha', provider_id: 'p', effective_date: '2024-05-01T10:00:00Z' }),
    ]);
    expect(Math.abs(Date.parse(results[0].effective_date) - Date.now())).toBeLessThan(60_000);
  });

  test('a model may have several prices', async () => {
    const project = await server.newProject();
    const first = await addCosts(project, { m: price(1) });
    const second = await addCosts(project, { m: price(1) });
    expect(first).not.toEqual(second);
    expect((await queryCosts(project)).json.results).toHaveLength(2);
  });

  test('null selects the default, and numbers may be strings', async () => {
    const project = await server.newProject();
    const units = { prompt_token_cost_unit: null, completion_token_cost_unit: null, provider_id: null };
    await addCosts(project, {
      m: { prompt_token_cost: '1e-7', completion_token_cost: 3, effective_date: null, ...units },
    });
    expect((await queryCosts(project)).json.results).toMatchObject([
      { prompt_token_cost: 1e-7, completion_token_cost_unit: 'USD', provider_id: 'default' },
    ]);
    expect(await addCosts(project, {})).toEqual([]);
  });

  test.each([
    [{ completion_token_cost: 1 }, 'missing', 'prompt_token_cost'],
    [price('x' as never), 'float_parsing', 'prompt_token_cost'],
    [price([] as never), 'float_type', 'prompt_token_cost'],
    [price(1, { effective_date: 'soon' }), 'datetime_from_date_parsing', 'effective_date'],
  ])('rejects %j', async (input, type, name) => {
    const project = await server.newProject();
    const answer = await server.post('/cost/create', { project_id: project, costs: { m: input } });
    expect(answer).toMatchObject({ status: 422, json: { detail: [{ type, loc: ['body', 'costs', 'm', name] }] } });
  });

  test('rejects numbers and strings that cannot be stored', async () => {
    const project = await server.newProject();
    const create = (costs: string) => server.post('/cost/create', `{"project_id":"${project}","costs":${costs}}`);
    const infinite = await create('{"m":{"prompt_token_cost":1e999,"completion_token_cost":1}}');
    expect(infinite).toMatchObject({ status: 422, json: { detail: [{ type: 'finite_number' }] } });
    expect((await create(JSON.stringify({ 'm\0': price(1) }))).status).toBe(422);
    expect((await create(JSON.stringify({ m: price(1, { effective_date: '0000-01-01' }) }))).status).toBe(400);
    expect((await create(JSON.stringify({ '\ufeffm': price(1) }))).status).toBe(422);
    const dates = ['0001-01-01T00:00:00Z', '0099-12-31T23:59:59Z', '9999-12-31T23:59:59.999999Z'];
    for (const effective_date of dates) {
      expect((await create(JSON.stringify({ m: price(1, { effective_date }) }))).status).toBe(200);
    }
    const { results } = (await queryCosts(project)).json;
    const found = results.map((each: { effective_date: string }) => each.effective_date).toSorted();
    expect(found).toEqual(dates.map((date) => date.replace('.999999', '')));
  });

  test('a project has at most 10,000', async () => {
    const project = await server.newProject();
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, price(i)]));
    await addCosts(project, many(9_999));
    const answer = await server.post('/cost/create', { project_id: project, costs: many(2) });
    expect(answer).toMatchObject({ status: 400, json: { reason: expect.stringContaining('10000 prices') } });
    await addCosts(project, many(1));
    expect((await queryCosts(project, { fields: ['id'] })).json.results).toHaveLength(10_000);
  });
});

describe('queries of prices', () => {
  let project: string;
  let ids: string[];
  beforeAll(async () => {
    project = await server.newProject();
    ids = await addCosts(project, {
      a: price(3, { effective_date: '2023-01-01' }),
      b: price(1, { effective_date: '2024-01-01', provider_id: 'p' }),
      c: price(2, { effective_date: '2025-01-01' }),
    });
  });

  const names = async (more: object) => (await queryCosts(project, more)).json.results.map((each: any) => each.llm_id);

  test('returns null for fields that are not selected, and rejects unknown ones [calls 125]', async () => {
    const { results } = (await queryCosts(project, { fields: ['llm_id'], query: byId(ids[1]!) })).json;
    expect(results).toEqual([
      {
        ...{ llm_id: 'b', id: null, prompt_token_cost: null, completion_token_cost: null },
        ...{ cache_read_input_token_cost: null, cache_creation_input_token_cost: null, provider_id: null },
        ...{ prompt_token_cost_unit: null, completion_token_cost_unit: null, effective_date: null },
      },
    ]);
    for (const more of [
      { fields: ['nope'] },
      { sort_by: [{ field: 'nope', direction: 'asc' }] },
      { query: { $expr: { $eq: [field('nope'), literal('1')] } } },
      { fields: ['toString'] },
    ]) {
      const reason = expect.stringContaining('Unknown field: ');
      expect(await queryCosts(project, more)).toMatchObject({ status: 400, json: { reason } });
    }
  });

  test.each([
    [{ $gt: [field('prompt_token_cost'), literal(1)] }, ['a', 'c']],
    [{ $gte: [field('effective_date'), literal('2024-01-01')] }, ['b', 'c']],
    [{ $in: [field('llm_id'), [literal('a'), literal('c')]] }, ['a', 'c']],
    [{ $eq: [field('provider_id'), literal('p')] }, ['b']],
    [{ $eq: [field('pricing_level'), literal('project')] }, ['a', 'b', 'c']],
    [{ $eq: [literal('1'), literal('1')] }, ['a', 'b', 'c']],
    [{ $contains: { input: field('llm_id'), substr: literal('B'), case_insensitive: true } }, ['b']],
    [{ $gt: [field('created_at'), literal(0)] }, ['a', 'b', 'c']],
    [{ $eq: [field('created_by'), literal(null)] }, []],
  ])('%j', async ($expr, expected) => {
    expect(await names({ query: { $expr } })).toEqual(expected);
  });

  test('compares the project by its name', async () => {
    const $expr = { $eq: [field('pricing_level_id'), literal(project)] };
    expect(await names({ query: { $expr } })).toEqual(['a', 'b', 'c']);
  });

  test('sorts and pages the prices', async () => {
    const sort_by = [{ field: 'prompt_token_cost', direction: 'desc' }];
    expect(await names({ sort_by })).toEqual(['a', 'c', 'b']);
    expect(await names({ sort_by, limit: 1, offset: 1 })).toEqual(['c']);
    expect(await names({ limit: 0 })).toEqual([]);
    expect((await queryCosts(project, { limit: -1 })).status).toBe(400);
    expect((await queryCosts(project, { offset: -1 })).status).toBe(400);
    expect((await queryCosts(project, { sort_by: [{ field: 'id', direction: 'up' }] })).status).toBe(422);
  });

  test('rejects an invalid query even without prices', async () => {
    const empty = await server.newProject();
    const text = { $expr: { $gt: [field('llm_id'), literal(1)] } };
    expect((await queryCosts(empty, { query: text })).status).toBe(400);
    expect((await queryCosts(empty, { query: { $expr: { $ne: [] } } })).status).toBe(422);
  });
});

describe('purging', () => {
  test('purges prices by id only [calls 126]', async () => {
    const project = await server.newProject();
    const [a, b, c, d] = await addCosts(project, { a: price(1), b: price(1), c: price(1), d: price(1) });
    const left = async () => (await queryCosts(project)).json.results.map((each: any) => each.llm_id);
    const eq = (id: unknown) => ({ $eq: [field('id'), literal(id)] });
    const gone = await purge(project, { $expr: eq(a) });
    expect(gone).toMatchObject({ status: 200, text: '{}' });
    expect(await left()).toEqual(['b', 'c', 'd']);
    expect((await purge(project, { $expr: { $in: [field('id'), [literal(b), literal('unknown')]] } })).status).toBe(
      200,
    );
    expect((await purge(project, { $expr: { $or: [eq(c), eq('\0')] } })).status).toBe(200);
    expect(await left()).toEqual(['d']);
    expect((await purge(project, { $expr: eq('unknown') })).status).toBe(200);
    for (const $expr of [
      { $eq: [field('llm_id'), literal('d')] },
      { $in: [field('llm_id'), [literal('d')]] },
      { $in: [field('id'), []] },
      eq(1),
      { $eq: [literal(d), field('id')] },
      { $and: [eq(d)] },
      { $or: [eq(d), { $gt: [field('prompt_token_cost'), literal(0)] }] },
      { $not: [eq('x')] },
    ]) {
      const reason = 'Can only purge costs by specifying one or more cost ids';
      expect(await purge(project, { $expr })).toMatchObject({ status: 400, json: { reason } });
    }
    expect(await left()).toEqual(['d']);
  });

  test('leaves the prices of other projects alone', async () => {
    const [project, other] = [await server.newProject(), await server.newProject()];
    const [id] = await addCosts(project, { a: price(1) });
    await purge(other, byId(id!));
    expect((await queryCosts(project)).json.results).toHaveLength(1);
  });
});

describe('costs of calls', () => {
  test('are returned beside a selected column [calls 62]', async () => {
    const project = await server.newProject();
    await addCosts(project, { m: price(1) });
    await logCalls(server, project, [{ output: 1, summary: { usage: { m: { prompt_tokens: 3 } } } }]);
    const { calls } = await queryCalls(server, project, { columns: ['output'], include_costs: true });
    expect(calls[0]).toMatchObject({
      ...{ output: 1, ended_at: '2024-01-01T00:00:01Z' },
      summary: { weave: { costs: { m: { prompt_tokens_total_cost: 3 } } } },
    });
    // Costs are computed from the stored summary, which is part of the answer, as in the reference.
    expect(calls[0].summary.usage).toEqual({ m: { prompt_tokens: 3 } });
    const without = await queryCalls(server, project, {});
    expect(without.calls[0].summary.weave.costs).toBeUndefined();
  });

  test('keep a total of 0 [calls 120]', async () => {
    const project = await server.newProject();
    await addCosts(project, { m: price(1) });
    expect(await costsOf(project, { m: { total_tokens: 0, input_tokens: 1 } })).toMatchObject({
      m: { total_tokens: 0 },
    });
    expect(await costsOf(project, { m: { total_tokens: 9, input_tokens: 1 } })).toMatchObject({
      m: { total_tokens: 9 },
    });
  });

  test('use the newest current price, or the newest future price if there is none [calls 127]', async () => {
    const project = await server.newProject();
    await addCosts(project, { m: price(1, { effective_date: '2023-01-01' }) });
    await addCosts(project, { m: price(10, { effective_date: '2025-01-01' }) });
    const usage = { m: { prompt_tokens: 1 } };
    const at = async (started_at: string) => (await costsOf(project, usage, { started_at })).m;
    expect(await at('2024-01-01')).toMatchObject({ prompt_token_cost: 1, effective_date: '2023-01-01T00:00:00Z' });
    expect(await at('2022-01-01')).toMatchObject({ prompt_token_cost: 10 });
  });

  test('use a current default price before a future price of the project [calls 128]', async () => {
    const project = await server.newProject();
    const usage = { 'gpt-4o-2024-08-06': { prompt_tokens: 1000, completion_tokens: 100 } };
    await addCosts(project, { 'gpt-4o-2024-08-06': price(1, { effective_date: '2030-01-01' }) });
    expect(await costsOf(project, usage)).toEqual({
      'gpt-4o-2024-08-06': expect.objectContaining({
        ...{ pricing_level: 'default', pricing_level_id: 'default', provider_id: 'openai' },
        ...{ prompt_token_cost: 0.0000025, completion_token_cost: 0.00001, prompt_tokens_total_cost: 0.0025 },
      }),
    });
    await addCosts(project, { 'gpt-4o-2024-08-06': price(1, { effective_date: '2020-01-01' }) });
    const costs = await costsOf(project, usage);
    expect(costs['gpt-4o-2024-08-06']).toMatchObject({ pricing_level: 'project', prompt_token_cost: 1 });
  });

  test('add up prompt, completion and cache costs [calls 129]', async () => {
    const project = await server.newProject();
    const cache = { cache_read_input_token_cost: 0.5, cache_creation_input_token_cost: 3 };
    await addCosts(project, { m: price(1, { ...cache, effective_date: '2023-01-01' }) });
    const usage = { prompt_tokens: 100, input_tokens: 10, completion_tokens: 5 };
    const cached = { cache_read_input_tokens: 20, cache_creation_input_tokens: 10 };
    expect(await costsOf(project, { m: { ...usage, ...cached }, unknown: usage })).toEqual({
      m: {
        ...{ prompt_tokens: 110, completion_tokens: 5, requests: 0, total_tokens: 0, ...cached },
        ...{ prompt_token_cost: 1, completion_token_cost: 2, ...cache },
        ...{ prompt_tokens_total_cost: 80, completion_tokens_total_cost: 10 },
        ...{ cache_read_input_tokens_total_cost: 10, cache_creation_input_tokens_total_cost: 30 },
        ...{ prompt_token_cost_unit: 'USD', completion_token_cost_unit: 'USD', provider_id: 'default' },
        ...{ pricing_level: 'project', pricing_level_id: project, effective_date: '2023-01-01T00:00:00Z' },
        ...{ created_by: expect.any(String), created_at: expect.stringMatching(/Z$/) },
      },
    });
    expect(await costsOf(project, { unknown: usage })).toBeUndefined();
    expect(await costsOf(project, { M: usage })).toBeUndefined();
    expect(await costsOf(project, {})).toBeUndefined();
  });

  test('use a price created later with an earlier date [calls 130]', async () => {
    const project = await server.newProject();
    const summary = { usage: { m: { prompt_tokens: 2 } } };
    const [id] = await logCalls(server, project, [{ started_at: '2024-01-01T00:00:00Z', summary }]);
    expect(await readCosts(project, id!)).toBeUndefined();
    await addCosts(project, { m: price(4, { effective_date: '2023-12-31' }) });
    expect(await readCosts(project, id!)).toMatchObject({ m: { prompt_tokens_total_cost: 8 } });
  });

  test('keep what the client stored beside them', async () => {
    const project = await server.newProject();
    await addCosts(project, { m: price(1) });
    const summary = { usage: { m: { prompt_tokens: 1 } }, weave: { mine: 1, costs: 'old' } };
    const [id] = await logCalls(server, project, [{ summary }]);
    const [call] = (await queryCalls(server, project, { include_costs: true })).calls;
    expect(call.summary.weave).toMatchObject({ mine: 1, costs: { m: { prompt_token_cost: 1 } } });
    const text = (await server.post('/call/read', { project_id: project, id, include_costs: true })).text;
    expect(text.match(/"costs"/g)).toHaveLength(1);
  });

  test('cannot be sorted by', async () => {
    const project = await server.newProject();
    const sort_by = [{ field: 'summary.weave.costs.m.prompt_tokens_total_cost', direction: 'asc' }];
    expect((await queryCalls(server, project, { sort_by })).status).toBe(422);
  });
});
