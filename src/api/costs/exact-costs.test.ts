import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it, test } from 'vitest';
import { otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { logCalls, queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeEach(async () => {
  project = await server.newProject();
});

async function send(...spans: TestSpan[]): Promise<void> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', project_id: project };
  const response = await fetch(`${server.url}/v1/traces`, { method: 'POST', body: otlpJson(spans), headers });
  expect(response.status).toBe(200);
}

const metrics = [{ metric: 'total_cost' }];

/** What every reader says of the costs of the project. */
async function costs() {
  const { calls } = await queryCalls(server, project, { include_costs: true });
  const range = { start: '2023-11-14T00:00:00Z', end: '2023-11-16T00:00:00Z', granularity: 86_400 };
  const stats = await server.post('/calls/stats', { project_id: project, ...range, usage_metrics: metrics });
  const usage = await server.post('/trace/usage', { project_id: project, include_costs: true });
  const sum = (values: any[]) =>
    values.reduce((total, each) => {
      const parts = Object.entries(each ?? {}).filter(([name]) => name.endsWith('_total_cost'));
      return total + parts.reduce((more, [, cost]) => more + Number(cost), 0);
    }, 0);
  const weave = calls.map(({ summary }: any) => summary.weave);
  const used = Object.values(usage.json.call_usage_counted_once).flatMap((each: any) => Object.values(each) as any[]);
  return {
    ofCalls: sum(weave.flatMap((each: any) => Object.values(each.costs ?? {}))),
    ofUsage: sum(used),
    ofStats: stats.json.usage_buckets.reduce((total: number, each: any) => total + each.sum_total_cost, 0),
    unpriced: [
      weave.map((each: any) => each.unpriced_tokens),
      used.map(({ unpriced_tokens }) => unpriced_tokens),
      stats.json.usage_buckets.flatMap((each: any) => (each.count > 0 ? [each.unpriced_tokens] : [])),
    ],
    weave,
  };
}

async function expectCost(dollars: number) {
  const { ofCalls, ofUsage, ofStats } = await costs();
  for (const each of [ofCalls, ofUsage, ofStats]) expect(each).toBeCloseTo(dollars, 9);
}

const traceId = randomBytes(16).toString('hex');
const gemini = {
  'gen_ai.system': 'Google',
  'gen_ai.request.model': 'gemini-2.5-flash',
  'gen_ai.operation.name': 'chat',
};
const bill = 949 * 0.3e-6 + 1239 * 2.5e-6;
const googleUsage = {
  promptTokenCount: 949,
  candidatesTokenCount: 290,
  thoughtsTokenCount: 949,
  totalTokenCount: 2188,
};

test.each<[string, Record<string, unknown>]>([
  [
    'OpenLLMetry',
    { ...gemini, 'gen_ai.usage.input_tokens': 949, 'gen_ai.usage.output_tokens': 290, 'llm.usage.total_tokens': 2188 },
  ],
  [
    "Vercel's SDK",
    {
      ...{ 'ai.operationId': 'ai.generateText.doGenerate', 'ai.model.id': 'gemini-2.5-flash' },
      ...{ 'ai.model.provider': 'google.generative-ai', 'ai.usage.inputTokens': 949, 'ai.usage.outputTokens': 290 },
      'ai.response.providerMetadata': JSON.stringify({ google: { usageMetadata: googleUsage } }),
    },
  ],
  [
    'ADK',
    {
      ...{ ...gemini, 'gen_ai.system': 'gcp.vertex.agent', 'gen_ai.operation.name': 'generate_content' },
      ...{ 'gen_ai.usage.input_tokens': 949, 'gen_ai.usage.output_tokens': 290 },
      'gcp.vertex.agent.llm_response': JSON.stringify({
        usage_metadata: { prompt_token_count: 949, candidates_token_count: 290, thoughts_token_count: 949 },
      }),
    },
  ],
  [
    'plain counts with a total',
    {
      ...{ ...gemini, 'gen_ai.usage.input_tokens': 949, 'gen_ai.usage.output_tokens': 290 },
      ...{ 'gen_ai.usage.reasoning_tokens': 949, 'gen_ai.usage.total_tokens': 2188 },
    },
  ],
])('thoughts beside the output are paid as output: %s', async (_, attributes) => {
  await send({ traceId, attributes });
  await expectCost(bill);
});

test('the cached tokens of Anthropic are beside the input in calls and conversations of Weave', async () => {
  const model = 'claude-sonnet-4-5';
  const usage = { [model]: { requests: 1, input_tokens: 130, cache_read_input_tokens: 90, output_tokens: 8 } };
  await logCalls(server, project, [{ started_at: '2023-11-15T00:00:00Z', summary: { usage } }]);
  await expectCost(0.000537);
  project = await server.newProject();
  const counts = { 'gen_ai.usage.input_tokens': 130, 'gen_ai.usage.output_tokens': 8 };
  const names = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': model };
  const attributes = { ...names, ...counts, 'gen_ai.usage.cache_read.input_tokens': 90 };
  await send({ traceId, scope: 'weave.conversation', attributes });
  await expectCost(0.000537);
});

test('newer SDKs have them in the input, as their own answers show', async () => {
  const model = 'claude-sonnet-4-5';
  const usage = { [model]: { requests: 1, input_tokens: 220, cache_read_input_tokens: 90, output_tokens: 8 } };
  const times = { started_at: '2023-11-15T00:00:00Z', ended_at: '2023-11-15T00:00:01Z' };
  const output = { model, usage: { input_tokens: 130, cache_read_input_tokens: 90, output_tokens: 8 } };
  await logCalls(server, project, [{ ...times, output, summary: { usage } }]);
  await expectCost(0.000537);
});

const chat = (model: string, counts: Record<string, unknown>): Record<string, unknown> => ({
  ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
  ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`gen_ai.usage.${name}`, count])),
});

const langfuse = (details: Record<string, number>) => ({
  'langfuse.observation.type': 'generation',
  'langfuse.observation.model.name': 'claude-sonnet-4-5',
  'langfuse.observation.usage_details': JSON.stringify(details),
});
const cached = { cache_read_input_tokens: 300, cache_creation_input_tokens: 100 };

test.each<[string, Record<string, number>, number]>([
  ['cached tokens', { input: 1000, output: 10, ...cached }, 1000 * 3e-6 + 300 * 0.3e-6 + 100 * 3.75e-6 + 10 * 15e-6],
  [
    'cached tokens and reasoning, with their total',
    { input: 1000, output: 10, output_reasoning: 90, input_cache_read: 300, total: 1400 },
    1000 * 3e-6 + 300 * 0.3e-6 + 100 * 15e-6,
  ],
  ['reasoning', { input: 1000, output: 100, output_reasoning: 90 }, 1000 * 3e-6 + 190 * 15e-6],
  [
    'a total that has them in the input',
    { input: 1000, output: 10, input_cached_tokens: 300, total: 1010 },
    700 * 3e-6 + 300 * 0.3e-6 + 10 * 15e-6,
  ],
  [
    'the names of an API that has them in the input',
    { input_tokens: 1000, output_tokens: 10, cache_read_input_tokens: 300 },
    700 * 3e-6 + 300 * 0.3e-6 + 10 * 15e-6,
  ],
])("Langfuse's counts are apart from each other: %s", async (_, details, dollars) => {
  await send({ traceId, attributes: langfuse(details) });
  await expectCost(dollars);
});

test.each<[string, Record<string, unknown>]>([
  ['output.value', { 'output.value': JSON.stringify({ usage: { input_tokens: 1000, output_tokens: 10, ...cached } }) }],
  ['MLflow', { 'mlflow.spanOutputs': JSON.stringify({ usage: { input_tokens: 1000, ...cached } }) }],
])("the input of Anthropic's answer has no cached tokens: %s", async (_, answer) => {
  const counts = {
    input_tokens: 1000,
    output_tokens: 10,
    'cache_read.input_tokens': 300,
    'cache_creation.input_tokens': 100,
  };
  await send({ traceId, attributes: { ...chat('claude-sonnet-4-5', counts), ...answer } });
  await expectCost(1000 * 3e-6 + 300 * 0.3e-6 + 100 * 3.75e-6 + 10 * 15e-6);
  project = await server.newProject();
  await send({ traceId, attributes: { ...chat('claude-sonnet-4-5', { ...counts, input_tokens: 1400 }), ...answer } });
  await expectCost(1000 * 3e-6 + 300 * 0.3e-6 + 100 * 3.75e-6 + 10 * 15e-6);
});

it.each([[-5], [{ doubleValue: 1.5 }], [{ doubleValue: 'NaN' }], ['many'], [{ doubleValue: 1e300 }]])(
  'ignores a count of %j, and says so',
  async (count) => {
    await send({ traceId, attributes: chat('gpt-4o', { input_tokens: count, output_tokens: 10 }) });
    await expectCost(0.0001);
    const { weave } = await costs();
    expect(weave[0]).toMatchObject({ ignored_counts: { 'gpt-4o': 1 }, costs: { 'gpt-4o': { is_at_least: true } } });
  },
);

test('negative counts of SDKs are ignored too', async () => {
  const usage = { 'gpt-4o': { prompt_tokens: -5, completion_tokens: 10 } };
  await logCalls(server, project, [{ started_at: '2023-11-15T00:00:00Z', summary: { usage } }]);
  await expectCost(0.0001);
});

test('tokens without a price are shown as such by every reader, until the project sets one', async () => {
  await send({
    traceId,
    attributes: { ...chat('llama3', { input_tokens: 3, output_tokens: 4 }), 'gen_ai.system': 'ollama' },
  });
  expect((await costs()).unpriced).toEqual([[{ llama3: 7 }], [7], [7]]);
  const price = { prompt_token_cost: 1, completion_token_cost: 2, effective_date: '2023-01-01' };
  await server.post('/cost/create', { project_id: project, costs: { llama3: price } });
  await expectCost(11);
  expect((await costs()).unpriced).toEqual([[undefined], [0], [0]]);
});

test('every call of a bucket has the price of its provider, its tier and its time', async () => {
  const at = (hour: number) => String(BigInt(Date.UTC(2023, 10, 15, hour)) * 1_000_000n);
  const during = (hour: number) => ({ startTimeUnixNano: at(hour), endTimeUnixNano: at(hour + 1) });
  const of = (provider: string, model: string, input: number) => ({
    ...chat(model, { input_tokens: input, output_tokens: 0 }),
    'gen_ai.provider.name': provider,
  });
  await send(
    { ...during(2), attributes: of('deepseek', 'deepseek-chat', 1_000_000) },
    { ...during(18), attributes: of('deepseek', 'deepseek-chat', 1_000_000) },
    { ...during(2), attributes: of('gcp.vertex_ai', 'gemini-2.5-pro', 200_000) },
    { ...during(2), attributes: of('gcp.vertex_ai', 'gemini-2.5-pro', 300_000) },
    { ...during(2), attributes: of('groq', 'openai/gpt-oss-120b', 1_000_000) },
    { ...during(2), attributes: of('openai', 'text-embedding-3-small', 1_000_000) },
  );
  await expectCost(0.27 + 0.135 + 0.25 + 0.75 + 0.15 + 0.02);
});

test('embeddings with nothing but a total are paid as input', async () => {
  const model = { 'openinference.span.kind': 'EMBEDDING', 'embedding.model_name': 'text-embedding-3-small' };
  await send({ traceId, attributes: { ...model, 'llm.token_count.total': 100 } });
  await expectCost(100 * 0.02e-6);
  expect((await costs()).weave[0].unpriced_tokens).toBeUndefined();
});

test('a request without counts has no cost, which is not a cost of 0', async () => {
  await send({ traceId, attributes: chat('gpt-4o', {}) });
  const { weave } = await costs();
  expect(weave[0].costs).toBeUndefined();
});

const ofVercel = (usage: Record<string, number>, metadata: object) => ({
  ...{ 'ai.operationId': 'ai.generateText.doGenerate', 'ai.model.id': 'claude-sonnet-4-5' },
  ...{ 'ai.model.provider': 'anthropic.messages', 'ai.response.providerMetadata': JSON.stringify(metadata) },
  ...Object.fromEntries(Object.entries(usage).map(([name, count]) => [`ai.usage.${name}`, count])),
});
const raw = { input_tokens: 1000, cache_read_input_tokens: 300, cache_creation_input_tokens: 100, output_tokens: 10 };

test.each<[string, Record<string, unknown>]>([
  [
    'version 4',
    ofVercel(
      { promptTokens: 1000, completionTokens: 10 },
      { anthropic: { cacheReadInputTokens: 300, cacheCreationInputTokens: 100 } },
    ),
  ],
  [
    'version 5',
    ofVercel(
      { inputTokens: 1000, outputTokens: 10, totalTokens: 1010, cachedInputTokens: 300 },
      { anthropic: { usage: raw, cacheCreationInputTokens: 100 } },
    ),
  ],
  [
    'version 6',
    ofVercel(
      {
        ...{ inputTokens: 1400, outputTokens: 10, totalTokens: 1410, cachedInputTokens: 300 },
        ...{ 'inputTokenDetails.cacheReadTokens': 300, 'inputTokenDetails.cacheWriteTokens': 100 },
      },
      { anthropic: { usage: raw, cacheCreationInputTokens: 100 } },
    ),
  ],
])("cached tokens of Anthropic through Vercel's SDK are paid: %s", async (_, attributes) => {
  await send({ traceId, attributes });
  await expectCost(1000 * 3e-6 + 300 * 0.3e-6 + 100 * 3.75e-6 + 10 * 15e-6);
});
