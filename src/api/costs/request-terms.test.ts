import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { otlpJson } from '../../otel/testing/span.ts';
import { logCalls, queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeEach(async () => {
  project = await server.newProject();
});

type Marks = { is_at_least: boolean; is_estimate: boolean };
const exact = { is_at_least: false, is_estimate: false };
const dearer = { is_at_least: true, is_estimate: false };
const other = { is_at_least: false, is_estimate: true };

async function sendSpan(attributes: Record<string, unknown>): Promise<void> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', project_id: project };
  const body = otlpJson([{ traceId: randomBytes(16).toString('hex'), attributes }]);
  expect((await fetch(`${server.url}/v1/traces`, { method: 'POST', body, headers })).status).toBe(200);
}

/** What calls, roll-ups of calls and of traces, and statistics say of the only cost of the project. */
async function expectMarks(marks: Marks): Promise<void> {
  const { calls } = await queryCalls(server, project, { include_costs: true });
  const range = { start: '2023-11-14T00:00:00Z', end: '2023-11-16T00:00:00Z', granularity: 86_400 };
  const usage_metrics = [{ metric: 'total_cost' }];
  const stats = await server.post('/calls/stats', { project_id: project, ...range, usage_metrics });
  const usage = await server.post('/trace/usage', { project_id: project, include_costs: true });
  const sums = (name: string) => Object.values(usage.json[name]).flatMap((each: any) => Object.values(each) as any[]);
  const found = [
    ...calls.flatMap(({ summary }: any) => Object.values(summary.weave.costs)),
    ...sums('call_usage'),
    ...sums('call_usage_counted_once'),
    ...sums('trace_usage'),
    ...stats.json.usage_buckets.filter(({ count }: any) => count > 0),
  ].map(({ is_at_least = false, is_estimate = false }: any) => ({ is_at_least, is_estimate }));
  expect(found).toEqual(Array(5).fill(marks));
}

const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 10,
  'gen_ai.usage.output_tokens': 5,
};
const openinference = {
  'openinference.span.kind': 'LLM',
  'llm.model_name': 'claude-sonnet-4-5',
  'llm.provider': 'anthropic',
  'llm.token_count.prompt': 10,
  'llm.token_count.completion': 5,
};
const vercel = {
  'ai.operationId': 'ai.generateText.doGenerate',
  'ai.model.id': 'gpt-4o',
  'ai.model.provider': 'openai.chat',
  'ai.usage.inputTokens': 10,
  'ai.usage.outputTokens': 5,
};
const answer = (value: unknown) => ({ ...openinference, 'output.value': JSON.stringify(value) });
const openaiAnswer = (output: object[]) => ({
  ...{ ...openinference, 'llm.model_name': 'gpt-4.1', 'llm.provider': 'openai' },
  'output.value': JSON.stringify({ output, service_tier: 'default' }),
});
const vertex = { ...chat, 'gen_ai.provider.name': 'gcp.vertex_ai', 'gen_ai.request.model': 'gemini-2.5-flash' };

test.each<[string, Record<string, unknown>, Marks]>([
  ['nothing', chat, exact],
  ['the default tier', { ...chat, 'gen_ai.openai.response.service_tier': 'default' }, exact],
  ['a request for any tier', { ...chat, 'openai.request.service_tier': 'auto' }, exact],
  ['flex', { ...chat, 'gen_ai.openai.response.service_tier': 'flex' }, other],
  ['flex, in the newer attribute', { ...chat, 'openai.response.service_tier': 'flex' }, other],
  ['a request for flex', { ...chat, 'gen_ai.openai.request.service_tier': 'flex' }, other],
  ['scale', { ...chat, 'openai.response.service_tier': 'scale' }, other],
  ['priority', { ...chat, 'openai.response.service_tier': 'priority' }, dearer],
  [
    'priority that was not granted',
    { ...chat, 'openai.request.service_tier': 'priority', 'openai.response.service_tier': 'default' },
    exact,
  ],
  ['settings', { ...openinference, 'llm.invocation_parameters': '{"service_tier":"flex"}' }, other],
  ['settings of Langfuse', { ...chat, 'langfuse.observation.model.parameters': '{"service_tier":"flex"}' }, other],
  ['an answer of OpenAI', answer({ service_tier: 'flex', usage: {} }), other],
  ['an answer at the default tier', answer({ service_tier: 'default' }), exact],
  ['an answer without a tier', answer({ service_tier: null, usage: { service_tier: null, speed: null } }), exact],
  ['a batch of Anthropic', answer({ usage: { service_tier: 'batch' } }), other],
  ['priority of Anthropic', answer({ usage: { service_tier: 'priority' } }), dearer],
  ['the fast mode of Anthropic', answer({ usage: { service_tier: 'standard', speed: 'fast' } }), dearer],
  ['a region of Anthropic', answer({ usage: { service_tier: 'standard', inference_geo: 'us' } }), dearer],
  ['any region', answer({ usage: { service_tier: 'standard', inference_geo: 'global', speed: 'standard' } }), exact],
  ['a text that mentions a tier', answer({ content: [{ text: '{"service_tier":"flex"}' }] }), exact],
  ["Vercel's metadata", { ...vercel, 'ai.response.providerMetadata': '{"openai":{"serviceTier":"flex"}}' }, other],
  [
    "Vercel's metadata of Anthropic",
    { ...vercel, 'ai.response.providerMetadata': '{"anthropic":{"usage":{"service_tier":"batch"}}}' },
    other,
  ],
  ['traffic of Vertex', { ...vertex, 'output.value': '{"usage_metadata":{"traffic_type":"ON_DEMAND"}}' }, exact],
  [
    'provisioned traffic of Vertex',
    { ...vertex, 'output.value': '{"usage_metadata":{"traffic_type":"PROVISIONED_THROUGHPUT"}}' },
    other,
  ],
  ['a tier of Bedrock', { ...chat, 'output.value': '{"serviceTier":{"type":"flex"}}' }, other],
  ['a search of files', openaiAnswer([{ type: 'file_search_call' }]), dearer],
  ['a run of code', openaiAnswer([{ type: 'code_interpreter_call' }]), dearer],
  ['a search of the web', openaiAnswer([{ type: 'web_search_call', action: { type: 'search' } }]), exact],
  [
    'a grounded answer',
    { ...vertex, 'output.value': '{"candidates":[{"groundingMetadata":{"webSearchQueries":["x"]}}]}' },
    dearer,
  ],
  ['MLflow', { ...chat, 'mlflow.spanOutputs': '{"service_tier":"priority"}' }, dearer],
])('a span with %s', async (_, attributes, marks) => {
  await sendSpan(attributes);
  await expectMarks(marks);
});

const counts = { requests: 1, prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const usage = { 'gpt-4o': counts };
const hour = { cache_creation_input_tokens: 4, cache_creation_1h_input_tokens: 4 };
const anthropic = (more: object) => ({
  'claude-sonnet-4-5': { requests: 1, input_tokens: 10, output_tokens: 5, ...more },
});

test.each<[string, Record<string, unknown>, Marks]>([
  ['nothing', { summary: { usage } }, exact],
  ['the default tier', { output: { service_tier: 'default' }, summary: { usage } }, exact],
  ['flex', { output: { id: 'chatcmpl-1', service_tier: 'flex', usage: {} }, summary: { usage } }, other],
  ['priority', { output: { service_tier: 'priority' }, summary: { usage } }, dearer],
  ['text', { output: { text: '"service_tier":"flex"' }, summary: { usage } }, exact],
  ['priority in its counts', { summary: { usage: anthropic({ service_tier: 'priority' }) } }, dearer],
  ['the standard tier in its counts', { summary: { usage: anthropic({ service_tier: 'standard' }) } }, exact],
  [
    'a batch in the counts of one of two',
    { summary: { usage: anthropic({ service_tier: ['standard', 'batch'] }) } },
    other,
  ],
  ['a batch of Anthropic', { output: { usage: { service_tier: 'batch' } }, summary: { usage: anthropic({}) } }, other],
  [
    'a search of files in its answer',
    { output: { output: [{ type: 'file_search_call' }] }, summary: { usage } },
    dearer,
  ],
  ['searches', { summary: { usage: { 'gpt-4.1': { ...counts, num_search_queries: 2 } } } }, exact],
  [
    'searches without a known fee',
    { summary: { usage: { 'gpt-4o-search-preview': { ...counts, num_search_queries: 2 } } } },
    dearer,
  ],
  ['audio', { summary: { usage: { 'gpt-audio': { ...counts, input_audio_tokens: 4 } } } }, exact],
  [
    'audio without a known price',
    { summary: { usage: { 'gpt-4o-audio-preview': { ...counts, input_audio_tokens: 4 } } } },
    dearer,
  ],
  ['an hour in the cache', { summary: { usage: anthropic({ ...hour }) } }, exact],
  [
    'an hour in the cache at an unknown price',
    { summary: { usage: { 'us.anthropic.claude-sonnet-4-5-20250929-v1:0': { ...counts, ...hour } } } },
    dearer,
  ],
  ['a free model of OpenRouter', { summary: { usage: { 'openrouter/deepseek/deepseek-r1:free': counts } } }, exact],
])('a call of an SDK with %s', async (_, fields, marks) => {
  const times = { started_at: '2023-11-15T00:00:00Z', ended_at: '2023-11-15T00:00:01Z' };
  await logCalls(server, project, [{ ...times, ...fields }]);
  await expectMarks(marks);
});

test('searches of the web are paid as the price data says', async () => {
  const output = [
    { type: 'web_search_call', action: { type: 'search' } },
    { type: 'web_search_call', action: { type: 'open_page' } },
  ];
  await sendSpan(openaiAnswer(output));
  const times = { started_at: '2023-11-15T00:00:00Z', ended_at: '2023-11-15T00:00:01Z' };
  await logCalls(server, project, [{ ...times, output: { output }, summary: { usage: { 'gpt-4.1': counts } } }]);
  await sendSpan({ ...openinference, 'output.value': '{"usage":{"server_tool_use":{"web_search_requests":1}}}' });
  const { calls } = await queryCalls(server, project, { include_costs: true });
  const fees = calls.flatMap(({ summary }: any) =>
    Object.values(summary.weave.costs).map((each: any) => each.other_total_cost),
  );
  expect(fees).toEqual([0.01, 0.01, 0.01]);
});
