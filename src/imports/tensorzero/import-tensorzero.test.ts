import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { startTestServer, type TestServer } from '../../api/testing/server.ts';
import { readConfig } from '../../config.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_PROVIDER_HOSTS: '127.0.0.1:9' });
});
beforeEach(async () => {
  project = await server.newProject();
});
afterAll(() => server.close());

const exported = (name: string) => new URL(`../../../testing/exports/tensorzero/${name}`, import.meta.url).pathname;
const toml = exported('config/tensorzero.toml');
const id = (hex: string) => `0193a4a9-${hex.padStart(4, '0')}-7000-8000-${hex.padStart(12, '0')}`;

async function run(
  order: { config?: string[]; data?: string[]; model?: string },
  onProgress?: (progress: object) => void,
) {
  const config = readConfig({ data: server.data }, {});
  const params = { config: [], data: [], project, ...order };
  return (await askRunning(config, 'import.tensorzero', params, onProgress))!.answer;
}

async function calls(): Promise<Record<string, any>> {
  const { lines } = await server.post('/calls/stream_query', { project_id: project });
  return Object.fromEntries(lines.map((call) => [call.id, call]));
}

async function feedback(): Promise<any[]> {
  return (await server.post('/feedback/query', { project_id: project })).json.result;
}

const objectOf = async (object_id: string) =>
  (await server.post('/obj/read', { project_id: project, object_id, digest: 'latest' })).json.obj;

async function rowsOf(dataset: string): Promise<any[]> {
  const { val } = await objectOf(dataset);
  const digest = val.rows.split(':').at(-1).split('/').at(-1);
  const { json } = await server.post('/table/query', { project_id: project, digest });
  return json.rows.map(({ val: row }: any) => row);
}

describe('a configuration', () => {
  test('becomes policies with prompts, settings and providers, and says what is left out', async () => {
    const report = await run({ config: [toml] });
    expect(report.reasons).toEqual([expect.stringMatching(/functions.broken: it has the tool missing/)]);
    expect(report.notes).toEqual([
      expect.stringMatching(/models.tiny: only the provider local is used/),
      expect.stringMatching(/models.far: heddle has no provider of the type aws_bedrock/),
      expect.stringMatching(/variants.plain: extra_body is left out/),
      expect.stringMatching(/variants.best: variants of the type experimental_best_of_n_sampling are not supported/),
      expect.stringMatching(/evaluators.exact: use `heddle eval run --scorer exact_match`/),
    ]);
    const { policies } = (await server.get(`/v2/${project}/policies`)).json;
    expect(policies).toMatchObject([
      {
        name: 'draft',
        version: {
          variants: [
            { name: 'plain', model: 'custom::local::tiny-1', prompt: expect.stringMatching(/draft.plain/) },
            { name: 'wrapped', model: 'heddle/tiny', prompt: expect.stringMatching(/draft.wrapped/) },
          ],
          ...{ incumbent: 'plain', shares: { plain: 0.75, wrapped: 0.25 } },
          scorers: [{ reward: 'good.value', missing: 'shown_only' }],
        },
      },
      { name: 'extract', version: { shares: { one: 1, two: 0 } } },
    ]);
    expect((await objectOf('draft.plain')).val.messages).toEqual([{ role: 'system', content: 'Write plainly.' }]);
    const { val } = await objectOf('tensorzero');
    expect(val).toMatchObject({
      functions: {
        draft: { tools: ['weather'], schemas: { user: { required: ['topic'] } } },
        extract: { type: 'json', variants: { one: { wrappers: ['user'] }, two: { parameters: { json_mode: 'on' } } } },
      },
      metrics: { good: { type: 'boolean' }, score: { level: 'episode' } },
      models: { tiny: 'custom::local::tiny-1' },
    });
  });

  test('answers as TensorZero did, and stays as it is when it is imported again', async () => {
    await run({ config: [toml] });
    const content = [{ type: 'template', name: 'user', arguments: { topic: 'rain' } }];
    const { json } = await server.post(`/tensorzero/${project}/inference`, {
      ...{ function_name: 'draft', variant_name: 'wrapped', input: { messages: [{ role: 'user', content }] } },
      params: { chat_completion: { max_tokens: 2 } },
    });
    expect(json).toMatchObject({ variant_name: 'wrapped', usage: { output_tokens: 2 } });
    await expect
      .poll(async () => (await calls())[json.inference_id]?.inputs.messages, { timeout: 15_000 })
      .toEqual([{ role: 'user', content: 'Write about rain.' }]);
    const again = await run({ config: [toml] });
    expect(again.made.filter(({ what }) => what === 'policy')).toMatchObject([
      { outcome: 'exists, and stays as it is' },
      { outcome: 'exists, and stays as it is' },
    ]);
    expect(again.made.every(({ outcome }) => !/v1/.test(outcome))).toBe(true);
    expect((await server.get(`/v2/${project}/policies`)).json.policies[0].version.number).toBe(1);
  });

  test('can have one model for all variants', async () => {
    await run({ config: [toml], model: 'heddle/tiny' });
    const { policies } = (await server.get(`/v2/${project}/policies`)).json;
    expect(policies[0].version.variants.map(({ model }: any) => model)).toEqual(['heddle/tiny', 'heddle/tiny']);
  });

  test.each([
    ['that is not TOML', '[x', /x.toml is not valid TOML/],
    [
      'whose file is missing',
      '[functions.f.variants.v]\nsystem_template = "no.minijinja"',
      /no.minijinja cannot be read/,
    ],
  ])('%s is rejected', async (_, text, message) => {
    const path = join(server.data, 'x.toml');
    writeFileSync(path, text);
    await expect(run({ config: [path] })).rejects.toThrow(message);
  });
});

describe('rows', () => {
  test('of ClickHouse become calls, threads, feedback and datasets, and a broken row is named', async () => {
    const steps: object[] = [];
    const report = await run({ config: [toml], data: [exported('rows')] }, (step) => steps.push(step));
    const counts = (rows: number, added: number, more = {}) => ({
      ...{ rows, added, known: 0, outdated: 0, refused: 0, stored: added, ...more },
    });
    expect(report.tables).toEqual({
      ChatInference: counts(3, 2, { refused: 1 }),
      JsonInference: counts(1, 1),
      ModelInference: counts(1, 1),
      BooleanMetricFeedback: counts(2, 1, { refused: 1 }),
      FloatMetricFeedback: counts(1, 1),
      CommentFeedback: counts(1, 1),
      DemonstrationFeedback: counts(1, 1),
      JsonInferenceDatapoint: counts(3, 1, { outdated: 2 }),
    });
    expect(report.loss).toEqual([]);
    expect(report.reasons.slice(1)).toEqual([
      expect.stringMatching(/^ChatInference.jsonl, line 3: this is not valid JSON/),
      'ChatInference.jsonl, line 4: episode_id is not a UUID: no-uuid',
      `feedback.jsonl, line 5: the inference ${id('99')} is not in the project.`,
    ]);
    expect(steps).toContainEqual(
      expect.objectContaining({ file: 'ChatInference.jsonl', doneBytes: expect.any(Number) }),
    );

    const found = await calls();
    expect(found[id('1')]).toMatchObject({
      ...{ thread_id: id('e0'), trace_id: id('1'), started_at: expect.stringMatching(/^2024-12-08T/) },
      inputs: {
        ...{ model: `policy:///${project}/draft`, temperature: 0.5 },
        messages: [
          { role: 'system', content: 'Write plainly.' },
          { role: 'user', content: 'Write about rain.' },
        ],
      },
      output: { choices: [{ message: { role: 'assistant', content: 'It rains.' }, finish_reason: 'stop' }] },
      attributes: { tensorzero: { variant_name: 'plain', tags: { user: 'u1' } } },
    });
    expect(Date.parse(found[id('1')].ended_at) - Date.parse(found[id('1')].started_at)).toBe(1500);
    expect(found[id('2')].inputs.messages.slice(1)).toMatchObject([
      { role: 'user', content: 'Write about snow.' },
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"place":"Oslo"}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: '-3' },
    ]);
    expect(found[id('2')].output.choices[0]).toMatchObject({
      ...{ finish_reason: 'tool_calls', message: { content: null, tool_calls: [{ function: { name: 'weather' } }] } },
    });
    expect(found[id('4')]).toMatchObject({
      inputs: { messages: [{ role: 'user', content: 'Text: I am Ada' }] },
      output: { choices: [{ message: { content: '{"name":"Ada"}' } }] },
    });
    expect(found[id('11')]).toMatchObject({
      ...{ parent_id: id('1'), trace_id: id('1') },
      summary: { usage: { tiny: { prompt_tokens: 12, completion_tokens: 3 } } },
    });
    const kinds = (await feedback()).map(({ feedback_type, payload, weave_ref }) => [
      ...[feedback_type, payload.value, weave_ref.split('/').at(-1)],
    ]);
    expect(kinds.sort()).toEqual(
      [
        ['comment', 'fine', id('4')],
        ['demonstration', [{ type: 'text', text: 'It will rain.' }], id('1')],
        ['good', true, id('1')],
        ['score', 0.25, id('1')],
        ['score', 0.25, id('2')],
      ].sort(),
    );
    expect(report.datasets).toEqual([
      { name: 'quiz', rows: 1, version: 0 },
      { name: 'draft-demonstrations', rows: 1, version: 0 },
    ]);
    expect(await rowsOf('quiz')).toMatchObject([
      { id: id('31'), messages: [{ role: 'user', content: 'I am Bob' }], expected: '{"name":"Bob"}' },
    ]);
    expect(await rowsOf('draft-demonstrations')).toEqual([
      {
        messages: [
          { role: 'system', content: 'Write plainly.' },
          { role: 'user', content: 'Write about rain.' },
          { role: 'assistant', content: 'It will rain.' },
        ],
      },
    ]);
  });

  test('are imported once', async () => {
    const order = { config: [toml], data: [exported('rows'), exported('FloatMetricFeedback.parquet')] };
    const first = await run(order);
    const before = [await calls(), await feedback()];
    const again = await run(order);
    expect([await calls(), await feedback()]).toEqual(before);
    for (const [table, counts] of Object.entries(first.tables)) {
      const { rows, added, outdated, refused, stored } = counts!;
      expect([table, again.tables[table as 'ChatInference']]).toEqual([
        ...[table, { rows, added: 0, known: added, outdated, refused, stored }],
      ]);
    }
    expect(again.datasets.map(({ version }) => version)).toEqual([0, 0]);
  });

  test('can be in a Parquet file', async () => {
    const report = await run({ config: [toml], data: [exported('rows'), exported('FloatMetricFeedback.parquet')] });
    expect(report.tables.FloatMetricFeedback).toMatchObject({ rows: 2, added: 2, stored: 2 });
    const scored = (await feedback()).filter(({ payload }) => payload.value === 0.5);
    expect(scored).toMatchObject([{ payload: { tags: { a: 'b' } } }, {}]);
    const path = join(server.data, 'not.parquet');
    writeFileSync(path, 'x');
    expect((await run({ data: [path] })).reasons).toEqual([
      expect.stringMatching(/not.parquet cannot be read as Parquet/),
    ]);
  });

  test('of PostgreSQL are read from a dump, whose payloads are in tables of their own', async () => {
    const report = await run({ config: [toml], data: [exported('postgres.sql')] });
    expect(report.tables).toMatchObject({
      ChatInference: { rows: 1, added: 1, refused: 1, stored: 1 },
      BooleanMetricFeedback: { rows: 1, added: 1 },
      FloatMetricFeedback: { rows: 1, added: 1 },
    });
    expect(report.reasons.slice(1)).toEqual([
      expect.stringMatching(/^postgres.sql, line \d+: no row of chat_inferences or json_inferences has this id/),
      expect.stringMatching(/found the columns id, name, which no table of TensorZero has/),
    ]);
    expect((await calls())[id('51')]).toMatchObject({
      thread_id: id('e2'),
      inputs: { messages: [{}, { content: 'Write about a\tb\\c.' }] },
      output: { choices: [{ message: { content: 'Tabs\nand more' } }] },
      attributes: { tensorzero: { tags: { user: 'u2' } } },
    });
    expect((await feedback()).map(({ payload }) => payload.value)).toEqual([true, 0.75]);
  });

  test('without a configuration keep the arguments of templates as JSON', async () => {
    await run({ data: [exported('rows/ChatInference.jsonl')] });
    expect((await calls())[id('1')].inputs.messages).toEqual([{ role: 'user', content: '{"topic":"rain"}' }]);
  });

  test('need a file that exists', async () => {
    await expect(run({ data: ['/no/such'] })).rejects.toThrow('/no/such does not exist.');
    await expect(run({})).rejects.toThrow('Give --config, files with rows, or both.');
  });
});
