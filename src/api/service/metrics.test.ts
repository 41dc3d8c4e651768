import { afterAll, beforeAll, expect, test } from 'vitest';
import { storesOnServers } from '../../../testing/test-stores.ts';
import { askRunning } from '../../admin/client.ts';
import { topLines } from '../../cli/show-top.ts';
import { readConfig } from '../../config.ts';
import { completeOf, startOf } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** The value of a series, such as `name{label="value"}`. */
async function numberOf(series: string): Promise<number> {
  const { text } = await server.get('/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.slice(series.length + 1));
}

const chat = (more: object = {}) =>
  server.post('/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4, ...more });
const tiny = '{model_name="heddle/tiny"}';

test("counts what models do under vLLM's names [chat 220 221]", async () => {
  const before = await numberOf(`vllm:generation_tokens_total${tiny}`);
  const { json } = await chat({ n: 2, temperature: 1, ignore_eos: true });
  await chat({ stream: true, ignore_eos: true });
  expect(await numberOf(`vllm:generation_tokens_total${tiny}`)).toBe(before + 12);
  const prompts = await numberOf(`vllm:prompt_tokens_total${tiny}`);
  expect(prompts).toBe(2 * json.usage.prompt_tokens);
  expect(await numberOf(`vllm:prefix_cache_queries_total${tiny}`)).toBe(prompts);
  expect(await numberOf(`vllm:time_to_first_token_seconds_count${tiny}`)).toBe(2);
  expect(await numberOf(`vllm:inter_token_latency_seconds_count${tiny}`)).toBe(9);
  expect(await numberOf(`vllm:e2e_request_latency_seconds_count${tiny}`)).toBe(2);
  expect(await numberOf('vllm:request_success_total{model_name="heddle/tiny",finished_reason="length"}')).toBe(3);
  await chat({ temperature: 5 });
  expect(await numberOf(`heddle_model_request_failures_total${tiny}`)).toBe(1);
  expect(await numberOf(`heddle_model_resident_memory_bytes${tiny}`)).toBeGreaterThan(1e7);
});

test('counts guessed tokens', async () => {
  const guessed = () => numberOf(`vllm:spec_decode_num_draft_tokens_total${tiny}`);
  const before = await guessed();
  const repeated = 'one two three four five six seven eight '.repeat(8);
  await chat({
    messages: [{ role: 'user', content: repeated }],
    max_tokens: 100,
    ignore_eos: true,
    logit_bias: { 5: 100 },
  });
  expect(await guessed()).toBeGreaterThan(before);
  expect(await numberOf(`vllm:spec_decode_num_accepted_tokens_total${tiny}`)).toBeGreaterThan(0);
});

test('shows requests that run and wait [chat 220]', async () => {
  const stop = new AbortController();
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 900, ignore_eos: true });
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
  const endless = fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body, signal: stop.signal });
  endless.catch(() => {});
  const inFlight = () => numberOf('heddle_http_requests_in_flight');
  await expect.poll(() => numberOf(`vllm:num_requests_running${tiny}`), { timeout: 10_000 }).toBe(1);
  expect(await numberOf(`vllm:kv_cache_usage_perc${tiny}`)).toBeGreaterThan(0);
  expect(await inFlight()).toBe(2); // the chat and this request
  stop.abort();
  await expect.poll(() => numberOf(`vllm:num_requests_running${tiny}`), { timeout: 10_000 }).toBe(0);
  await expect.poll(inFlight).toBe(1);
});

test('counts ingest, queries and requests, and shows stores, disk, jobs and memory [chat 220]', async () => {
  const project = await server.newProject();
  // Chats of tests above can be stored meanwhile: they are complete calls, and nothing else sends starts.
  const starts = await numberOf('heddle_call_parts_total{kind="start"}');
  const complete = await numberOf('heddle_call_parts_total{kind="complete"}');
  await server.post('/call/start', { start: startOf(project) });
  await server.post(`/v2/${project}/calls/complete`, { batch: [completeOf(project), completeOf(project)] });
  expect(await numberOf('heddle_call_parts_total{kind="start"}')).toBe(starts + 1);
  expect(await numberOf('heddle_call_parts_total{kind="complete"}')).toBeGreaterThanOrEqual(complete + 2);
  const queries = 'heddle_query_duration_seconds_count{kind="requests",outcome="answered"}';
  const before = await numberOf(queries);
  await server.post('/calls/stream_query', { project_id: project });
  expect(await numberOf(queries)).toBeGreaterThan(before);
  const route = '{method="POST",route="/v2/:entity/:project/calls/complete",status="200"}';
  expect(await numberOf(`heddle_http_requests_total${route}`)).toBe(1);
  for (const [store, name] of [
    ['ClickHouse', 'clickhouse'],
    ['PostgreSQL', 'postgres'],
  ] as const) {
    const kind = storesOnServers().includes(name) ? 'server' : 'embedded';
    expect(await numberOf(`heddle_store_up{store="${store}"}`)).toBe(1);
    const { text } = await server.get('/metrics');
    expect(text).toMatch(
      new RegExp(`heddle_store_info\\{store="${store}",kind="${kind}",version="\\d+\\.[\\d.]+"\\} 1\n`),
    );
  }
  expect(await numberOf('heddle_disk_free_bytes')).toBeGreaterThan(0);
  expect(await numberOf('process_resident_memory_bytes')).toBeGreaterThan(1e7);
});

test('needs a key, has the media type of Prometheus, and names no project [chat 220 221]', async () => {
  expect((await server.get('/metrics', { key: null })).status).toBe(401);
  const project = await server.newProject();
  await server.post('/calls/stream_query', { project_id: project });
  await server.get(`/v1/responses/${project}`);
  const { headers, text } = await server.get('/metrics');
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(text).not.toContain(project);
  expect(text).not.toContain(project.split('/')[1]);
});

test('heddle top shows the second between two snapshots in 80 columns [chat 222]', async () => {
  const take = async () => (await askRunning(readConfig({ data: server.data }, {}), 'top', {}))!.answer;
  const before = await take();
  await chat({ ignore_eos: true });
  const after = { ...(await take()), at: before.at + 1000 };
  const lines = topLines(before, after);
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(lines[0]).toMatch(/^heddle \S+, up .* UTC$/);
  const stores = lines.slice(lines.findIndex((line) => line.startsWith('Stores'))).slice(0, 3);
  expect(stores[0]).toMatch(/^Stores +ClickHouse +up +embedded \d+\.[\d.]+ .* free$/);
  expect(stores[1]).toMatch(/^ +PostgreSQL +up +embedded \d+\.\d+ .* free$/);
  expect(stores[2]).toMatch(/^ +Files +up +directory .* free$/);
  expect(lines.at(-1)).toMatch(/^heddle\/tiny +0 +0 +\d+% +\d+% +\d+\/s +4\/s +[\d.]+ m?s +[\d.]+ ms +\d+ MB$/);
  expect(lines.some((line) => line.startsWith('vLLM'))).toBe(false);
  const many = {
    ...after,
    models: Array(3).fill({ ...after.models[0], name: 'a/very-long-name-of-a-model-that-is-served' }),
  };
  expect(topLines(before, many).every((line) => line.length <= 80)).toBe(true);
  expect(topLines({ ...before, models: [] }, { ...after, models: [] }).at(-1)).toMatch(/^No model is open/);
});
