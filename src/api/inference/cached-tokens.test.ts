import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startVllmDouble, type VllmDouble } from '../../inference/vllm/servers/testing/vllm-double.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

const folder = fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url));
let double: VllmDouble;
let server: TestServer;
beforeAll(async () => {
  double = await startVllmDouble();
  server = await startTestServer({ HEDDLE_VLLM_URL: double.url, HEDDLE_VLLM_MODELS: `tiny=${folder}` });
  await server.post('/v1/chat/completions', { ...chat, stream: false }); // probes are requests, too
});
afterAll(async () => {
  await server.close();
  await double.close();
});

const chat = { model: 'tiny', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 };
const text = { model: 'tiny', prompt: ['Hi', 'Hello'], max_tokens: 4 };
const response = { model: 'tiny', input: 'Hi', max_output_tokens: 4 };
const streamed = { stream: true, stream_options: { include_usage: true } };

/** The events of a stream, without those that are not JSON. */
function eventsOf(sent: string): any[] {
  const lines = sent.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

describe('the prompt tokens that a vLLM server had cached', () => {
  test('are in the usage of a chat, and in its record, once for all of its choices', async () => {
    const project = await server.newProject();
    double.cached.push(5, 3);
    const headers = { 'X-Heddle-Project': project };
    const { json } = await server.post('/v1/chat/completions', { ...chat, n: 2 }, { headers });
    expect(json.usage.prompt_tokens_details).toEqual({ cached_tokens: 5 });
    await vi.waitFor(async () => {
      const { lines } = await server.post('/calls/stream_query', { project_id: project });
      expect(lines).toMatchObject([{ output: { usage: { prompt_tokens_details: { cached_tokens: 5 } } } }]);
    });
  });

  test('are in the last chunk of a streamed chat', async () => {
    double.cached.push(5);
    const events = eventsOf((await server.post('/v1/chat/completions', { ...chat, ...streamed })).text);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens_details: { cached_tokens: 5 } } });
    expect(events.at(-2).choices).toMatchObject([{ finish_reason: 'length' }]);
  });

  test('are in the usage of a chat with an image, which the server reads', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    double.cached.push(5);
    const body = { ...chat, messages: [{ role: 'user', content: [image] }] };
    const { json } = await server.post('/v1/chat/completions', body);
    expect(json.usage.prompt_tokens_details).toEqual({ cached_tokens: 5 });
  });

  test.each([{}, streamed])('are added up over the prompts of a completion %j', async (how) => {
    double.cached.push(1, 2);
    const sent = (await server.post('/v1/completions', { ...text, ...how })).text;
    const { usage } = 'stream' in how ? eventsOf(sent).at(-1) : JSON.parse(sent);
    expect(usage.prompt_tokens_details).toEqual({ cached_tokens: 3 });
  });

  test.each([false, true])('are in the usage of a response (streamed: %s)', async (stream) => {
    double.cached.push(5);
    const sent = (await server.post('/v1/responses', { ...response, stream })).text;
    const last = stream ? eventsOf(sent).at(-1).response : JSON.parse(sent);
    expect(last).toMatchObject({ status: 'incomplete', usage: { input_tokens_details: { cached_tokens: 5 } } });
  });

  test('count as hits of the prefix cache', async () => {
    const hits = async () => {
      const found = /^vllm:prefix_cache_hits_total\{model_name="tiny"\} (\d+)$/m.exec(
        (await server.get('/metrics')).text,
      );
      return Number(found![1]);
    };
    const before = await hits();
    double.cached.push(5);
    await server.post('/v1/chat/completions', chat);
    expect(await hits()).toBe(before + 5);
  });
});
