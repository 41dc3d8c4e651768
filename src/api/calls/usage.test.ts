import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { completeOf, startOf } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const used = (prompt_tokens: number, more: object = {}) => ({ usage: { m: { prompt_tokens, ...more } } });

/** Sends a chain of calls, the root first, each below the one before, with these summaries. */
async function sendChain(project: string, summaries: object[]): Promise<{ ids: string[]; trace: string }> {
  const trace = randomUUID();
  const ids = summaries.map(() => randomUUID());
  const batch = summaries.map((summary, i) => {
    const parent_id = i === 0 ? null : ids[i - 1];
    return completeOf(project, { id: ids[i], trace_id: trace, parent_id, summary });
  });
  await server.post(`/v2/${project}/calls/complete`, { batch });
  return { ids, trace };
}

async function start(project: string, more: object): Promise<string> {
  const started = startOf(project, more as Record<string, unknown>);
  await server.post('/call/start', { start: started });
  return started.id;
}

const traceUsage = (project: string, more: object = {}) =>
  server.post('/trace/usage', { project_id: project, ...more });
const callsUsage = (project: string, call_ids: string[], more: object = {}) =>
  server.post('/calls/usage', { project_id: project, call_ids, ...more });

const noCosts = {
  ...{ prompt_tokens_total_cost: null, completion_tokens_total_cost: null },
  ...{ cache_read_input_tokens_total_cost: null, cache_creation_input_tokens_total_cost: null },
  ...{ other_total_cost: null, unpriced_tokens: null, is_at_least: null, is_estimate: null },
};

describe('/trace/usage', () => {
  test('the usage of a call includes all calls below it [calls 116]', async () => {
    const project = await server.newProject();
    const { ids, trace } = await sendChain(project, [used(1), used(2, { requests: 1 }), used(4, { output_tokens: 3 })]);
    const { json } = await traceUsage(project, { filter: { trace_ids: [trace] } });
    const [r, c, d] = ids as [string, string, string];
    expect(json.call_usage[r]).toEqual({
      m: {
        ...{ requests: 1, prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
        ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0, ...noCosts },
      },
    });
    expect(json.call_usage[c].m.prompt_tokens).toBe(6);
    expect(json.call_usage[d].m.prompt_tokens).toBe(4);
    expect(json.unfinished_call_ids).toEqual([]);
  });

  test('adds up only the calls that match [calls 116]', async () => {
    const project = await server.newProject();
    const { ids } = await sendChain(project, [used(1), used(2), {}]);
    const roots = (await traceUsage(project, { filter: { trace_roots_only: true } })).json;
    expect(roots.call_usage).toEqual({ [ids[0]!]: { m: expect.objectContaining({ prompt_tokens: 1 }) } });
    const query = { $expr: { $eq: [{ $getField: 'id' }, { $literal: ids[2] }] } };
    expect((await traceUsage(project, { query })).json.call_usage).toEqual({ [ids[2]!]: {} });
    const parents = (await traceUsage(project, { filter: { parent_ids: [ids[0]] } })).json;
    expect(Object.keys(parents.call_usage)).toEqual([ids[1]]);
    const named = (await traceUsage(project, { filter: { call_ids: [ids[1]] } })).json;
    expect(Object.keys(named.call_usage)).toEqual([ids[1]]);
  });

  test('lists running calls, and uses the newest state of a call [calls 117]', async () => {
    const project = await server.newProject();
    const { ids, trace } = await sendChain(project, [used(1)]);
    const running = await start(project, { trace_id: trace, parent_id: ids[0] });
    const other = await start(project, { trace_id: trace, parent_id: ids[0] });
    await server.post('/calls/delete', { project_id: project, call_ids: [await start(project, { trace_id: trace })] });
    const before = (await traceUsage(project, { filter: { trace_ids: [trace] } })).json;
    expect(before.unfinished_call_ids).toEqual([running, other].sort());
    expect(before.call_usage[running]).toEqual({});
    expect(Object.keys(before.call_usage)).toHaveLength(3);
    const end = { project_id: project, id: running, ended_at: '2024-01-01T00:00:02Z', summary: used(5) };
    await server.post('/call/end', { end });
    const after = (await traceUsage(project, { filter: { trace_ids: [trace] } })).json;
    expect(after.unfinished_call_ids).toEqual([other]);
    expect(after.call_usage[ids[0]!].m.prompt_tokens).toBe(6);
  });

  test('call_usage_counted_once counts each token once [calls 116]', async () => {
    const project = await server.newProject();
    const { ids } = await sendChain(project, [used(10), used(10)]);
    const { json } = await traceUsage(project);
    expect(json.call_usage[ids[0]!].m).toMatchObject({ prompt_tokens: 20, total_tokens: 20 });
    expect(json.call_usage_counted_once[ids[0]!].m).toMatchObject({ prompt_tokens: 10, total_tokens: 10, ...noCosts });
  });

  test('limit selects the oldest calls', async () => {
    const project = await server.newProject();
    const old = completeOf(project, { started_at: '2023-01-01T00:00:00Z', summary: used(1) });
    await sendChain(project, [used(2)]);
    await server.post(`/v2/${project}/calls/complete`, { batch: [old] });
    expect(Object.keys((await traceUsage(project, { limit: 1 })).json.call_usage)).toEqual([old.id]);
    expect((await traceUsage(project, { limit: 0 })).json.call_usage).toEqual({});
    expect((await traceUsage(project, { limit: -1 })).status).toBe(400);
    expect((await traceUsage(project, { query: { $expr: {} } })).status).toBe(422);
    const unknown = { $expr: { $eq: [{ $getField: 'nope' }, { $literal: 1 }] } };
    expect((await traceUsage(project, { query: unknown })).status).toBe(422);
  });
});

describe('/calls/usage', () => {
  const elsewhere = randomUUID();

  test('an unknown call has no usage [calls 118]', async () => {
    const project = await server.newProject();
    const { ids } = await sendChain(project, [used(1), used(2)]);
    const { json } = await callsUsage(project, [ids[1]!, 'unknown', ids[0]!, ids[0]!]);
    expect(Object.keys(json.call_usage)).toEqual([ids[1], 'unknown', ids[0]]);
    expect(json.call_usage).toMatchObject({ unknown: {}, [ids[0]!]: { m: { prompt_tokens: 3 } } });
    expect(json.call_usage_counted_once).toMatchObject({ unknown: {}, [ids[0]!]: { m: { prompt_tokens: 3 } } });
    expect((await callsUsage(project, ['unknown'])).json.call_usage).toEqual({ unknown: {} });
    expect((await callsUsage(project, [])).json).toEqual({
      ...{ call_usage: {}, call_usage_counted_once: {}, trace_usage: {}, unfinished_call_ids: [] },
    });
  });

  test.each([
    ['from one of several calls whose parent is missing', [elsewhere, elsewhere, randomUUID()]],
    ['from a call in a cycle', [1, 2, 0]],
    ['from a call beside one that names itself as its parent', [0, elsewhere, 1]],
    ['from a call below a root', [null, 0, elsewhere]],
  ])('trace_usage has the tokens of all calls of a trace, %s', async (_, parents) => {
    const project = await server.newProject();
    const ids = parents.map(() => randomUUID());
    const trace_id = randomUUID();
    const batch = parents.map((parent, i) =>
      completeOf(project, {
        ...{ id: ids[i], trace_id, parent_id: typeof parent === 'number' ? ids[parent] : parent },
        summary: i === 2 ? { usage: { unpriced: { prompt_tokens: 4, completion_tokens: 0 } } } : used(2 ** i),
      }),
    );
    expect((await server.post(`/v2/${project}/calls/complete`, { batch })).text).toBe('{}');
    const { json } = await callsUsage(project, [ids[1]!], { include_costs: true });
    expect(json.trace_usage).toEqual({
      [trace_id]: {
        m: expect.objectContaining({ prompt_tokens: 3 }),
        unpriced: expect.objectContaining({ prompt_tokens: 4, unpriced_tokens: 4, is_at_least: true }),
      },
    });
    expect((await traceUsage(project, { include_costs: true })).json.trace_usage).toEqual(json.trace_usage);
  });

  test('rejects traces above the limit, and a limit of 0 [calls 119]', async () => {
    const project = await server.newProject();
    const [large, small] = [await sendChain(project, [{}, {}, {}]), await sendChain(project, [{}, {}])];
    expect((await callsUsage(project, [large.ids[0]!], { limit: 2 })).status).toBe(413);
    expect((await callsUsage(project, [large.ids[0]!, small.ids[0]!], { limit: 2 })).status).toBe(413);
    expect((await callsUsage(project, [large.ids[0]!], { limit: 3 })).status).toBe(200);
    expect((await callsUsage(project, [small.ids[0]!], { limit: 0 })).status).toBe(400);
    expect((await callsUsage(project, Array.from({ length: 1001 }, randomUUID))).status).toBe(400);
  });

  test('reads traces one by one if together they exceed the limit [calls 119]', async () => {
    const project = await server.newProject();
    const chains = [];
    for (const size of [2, 1, 2]) chains.push(await sendChain(project, Array(size).fill(used(1))));
    const running = await start(project, { trace_id: chains[1]!.trace });
    const { json, status } = await callsUsage(
      project,
      chains.map(({ ids }) => ids[0]!),
      { limit: 2 },
    );
    expect(status).toBe(200);
    const tokens = chains.map(({ ids }) => json.call_usage[ids[0]!].m.prompt_tokens);
    expect(tokens).toEqual([2, 1, 2]);
    expect(json.unfinished_call_ids).toEqual([running]);
  });

  test('costs are null unless requested, and 0 without a price [calls 119]', async () => {
    const project = await server.newProject();
    const { ids } = await sendChain(project, [used(1), used(2)]);
    expect((await callsUsage(project, [ids[0]!])).json.call_usage[ids[0]!].m).toMatchObject(noCosts);
    const ask = async () => (await callsUsage(project, [ids[0]!], { include_costs: true })).json;
    expect((await ask()).call_usage[ids[0]!].m).toMatchObject({
      ...{ prompt_tokens_total_cost: 0, completion_tokens_total_cost: 0 },
      ...{ cache_read_input_tokens_total_cost: 0, cache_creation_input_tokens_total_cost: 0 },
    });
    const costs = { m: { prompt_token_cost: 2, completion_token_cost: 1 } };
    await server.post('/cost/create', { project_id: project, costs });
    const priced = await ask();
    expect(priced.call_usage[ids[0]!].m.prompt_tokens_total_cost).toBe(6);
    expect(priced.call_usage_counted_once[ids[0]!].m.prompt_tokens_total_cost).toBe(6);
  });

  test('computes a total of 0 from its parts [calls 120]', async () => {
    const project = await server.newProject();
    const { ids } = await sendChain(project, [{ usage: { m: { total_tokens: 0, input_tokens: 1 } } }]);
    expect((await callsUsage(project, ids)).json.call_usage[ids[0]!].m).toMatchObject({
      ...{ total_tokens: 1, prompt_tokens: 1 },
    });
  });

  test('a trace of a thousand calls in one chain adds up', async () => {
    const project = await server.newProject();
    const { ids } = await sendChain(project, Array(1000).fill(used(1)));
    const { json } = await callsUsage(project, [ids[0]!]);
    expect(json.call_usage[ids[0]!].m.prompt_tokens).toBe(1000);
    expect(json.call_usage_counted_once[ids[0]!].m.prompt_tokens).toBe(1);
  });

  test('models may have any name', async () => {
    const project = await server.newProject();
    const summary = '{"usage":{"__proto__":{"prompt_tokens":3},"a.b":{"prompt_tokens":null}}}';
    const call = JSON.stringify(completeOf(project, { summary: 'SUMMARY' })).replace('"SUMMARY"', summary);
    await server.post(`/v2/${project}/calls/complete`, `{"batch":[${call}]}`);
    const { text } = await callsUsage(project, [JSON.parse(call).id]);
    expect(text).toContain('"__proto__":{"requests":0,"prompt_tokens":3,');
    expect(text).not.toContain('a.b');
  });
});
