import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startVllmDouble, type VllmDouble } from '../../inference/vllm/servers/testing/vllm-double.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

const adapters = mkdtempSync(join(tmpdir(), 'heddle-adapters-'));
const adapterFolder = join(import.meta.dirname, '../../../testing/tiny-model/adapter');
const hi = [{ role: 'user', content: 'Hi' }];
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
let double: VllmDouble;
let server: TestServer;

beforeAll(async () => {
  double = await startVllmDouble({ model: 'seen', embeds: true });
  server = await startTestServer({
    ...{ HEDDLE_VLLM_URL: double.url, HEDDLE_VLLM_ADAPTERS: adapters },
    HEDDLE_ADAPTER_FOLDERS: join(adapterFolder, '..'),
  });
});
afterAll(async () => {
  await server?.close();
  await double?.close();
  rmSync(adapters, { recursive: true });
});

const sent = (path = '/v1/chat/completions') => double.received.findLast((each) => each.path === path)!.body;

/** The one call of a new project that `ask` has made. */
async function recorded(ask: (headers: Record<string, string>) => Promise<unknown>) {
  const project = await server.newProject();
  await ask({ 'X-Heddle-Project': project });
  return vi.waitFor(async () => {
    const { lines } = await server.post('/calls/stream_query', { project_id: project });
    expect(lines).toHaveLength(1);
    return lines[0];
  });
}

test('a streamed chat with a model without files here is recorded with all that training reads', async () => {
  const call = await recorded((headers) =>
    server.post('/v1/chat/completions', { model: 'seen', messages: hi, stream: true, max_tokens: 5 }, { headers }),
  );
  const [choice] = call.output.choices;
  expect(call.exception).toBeNull();
  expect(call.output.prompt_token_ids.length).toBeGreaterThan(10);
  expect(choice.token_ids).toHaveLength(5);
  expect(choice.logprobs.content).toHaveLength(5);
  expect(call.attributes.heddle.sampling).toMatchObject({ temperature: 1, top_p: 1, max_tokens: 5, seed: null });
});

test('an image reaches the server, in a chat and in a response', async () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }];
  const { status, json } = await server.post('/v1/chat/completions', { model: 'seen', messages, max_tokens: 3 });
  expect([status, json.usage.completion_tokens]).toEqual([200, 3]);
  expect(sent().messages).toEqual(messages);
  const content = [{ type: 'input_image', image_url: image.image_url.url }];
  const response = await server.post('/v1/responses', {
    ...{ model: 'seen', input: [{ role: 'user', content }], max_output_tokens: 3 },
  });
  expect([response.status, response.json.output[0].type]).toEqual([200, 'message']);
  expect(sent().messages).toEqual([{ role: 'user', content: [image] }]);
});

test('a model of heddle itself refuses the image', async () => {
  const messages = [{ role: 'user', content: [image] }];
  const { status, json } = await server.post('/v1/chat/completions', { model: 'heddle/tiny', messages });
  expect([status, json.error.message]).toEqual([400, expect.stringMatching(/text alone/)]);
});

test('texts, embeddings and tokens of a model without files come from its servers', async () => {
  const text = await server.post('/v1/completions', { model: 'seen', prompt: 'Hello', max_tokens: 2, logprobs: 1 });
  expect(text.json.choices[0].logprobs.tokens).toHaveLength(2);
  const { json } = await server.post('/v1/embeddings', { model: 'seen', input: ['Hi', 'Hello'] });
  expect(json.data.map((each: { embedding: number[] }) => each.embedding.length)).toEqual([2, 2]);
  const tokens = await server.post('/tokenize', { model: 'seen', prompt: 'Hi' });
  expect(tokens.json).toMatchObject({ count: 2, tokens: [72, 105] });
  expect((await server.post('/detokenize', { model: 'seen', tokens: [72, 105] })).json.prompt).toBe('Hi');
  const info = await server.get('/tokenizer_info?model=seen');
  expect(info.json.error.message).toMatch(/HEDDLE_VLLM_MODELS=seen=FOLDER/);
});

test('a server refuses a request in its words', async () => {
  double.faults.status = 400;
  const { status, json } = await server.post('/v1/chat/completions', { model: 'seen', messages: hi });
  double.faults.status = null;
  expect([status, json.error.message]).toEqual([400, 'The server has a fault.']);
});

test('a model without files here can be the base of an adapter', async () => {
  const asked = { lora_name: 'trained', lora_path: adapterFolder, base_model_name: 'seen' };
  const { status, text } = await server.post('/v1/load_lora_adapter', asked);
  expect({ status, text }).toMatchObject({ status: 200 });
  const { json } = await server.post('/v1/chat/completions', { model: 'trained', messages: hi, max_tokens: 2 });
  expect([json.model, sent().model]).toEqual(['trained', expect.stringMatching(/^trained-[0-9a-f]{16}$/)]);
});
