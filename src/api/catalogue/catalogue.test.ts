import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

/** The catalogue of docs/conformance/evaluations.md. Its paths require a key. */

let upstream: Server;
let server: TestServer;
const theirs: Record<string, object> = {
  '/inference/router/openrouter/models': { data: [{ id: 'theirs/model', created: 5, extra: { kept: 1 } }] },
  '/inference/nvidia/v2/hardware?model=gpt-4o': { hardware: [{ id: 'rack', name: 'Rack', type: 'serverless' }] },
};
beforeAll(async () => {
  upstream = createServer((request, response) => {
    const found = theirs[request.url!];
    response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  server = await startTestServer({ HEDDLE_CATALOGUE_URL: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await server.close();
  upstream.closeAllConnections();
  upstream.close();
});

test('lists models for routers: its own, the upstream ones, then those with price data [evaluations 28]', async () => {
  const { status, json } = await server.get('/inference/router/openrouter/models');
  expect(status).toBe(200);
  expect(json.data[0]).toMatchObject({ id: 'heddle/tiny', quantization: 'fp32', pricing: { prompt: '0' } });
  expect(json.data[1]).toEqual(theirs['/inference/router/openrouter/models']!['data' as never][0]);
  expect(json.data.length).toBeGreaterThan(100);
  const ids = json.data.map((model: { id: string }) => model.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(json.data[2]).toMatchObject({ id: expect.stringContaining('/'), pricing: expect.any(Object) });
});

test('rejects a request for hardware without a model [evaluations 29]', async () => {
  const { status, json } = await server.get('/inference/nvidia/v2/hardware');
  expect([status, json.detail]).toMatchObject([422, [{ type: 'missing', loc: ['query', 'model'] }]]);
});

test('lists the hardware of a model, and none for an unknown one [evaluations 30]', async () => {
  const { status, json } = await server.get('/inference/nvidia/v2/hardware?model=gpt-4o');
  expect(status).toBe(200);
  expect(json.hardware[0]).toEqual({ id: 'rack', name: 'Rack', type: 'serverless' });
  expect(json.hardware).toContainEqual({
    id: 'openai',
    name: 'OpenAI',
    type: 'serverless',
    pricing: {
      cents_per_million_input_tokens: expect.any(Number),
      cents_per_million_output_tokens: expect.any(Number),
    },
    specs: {},
  });
  const ofOpenai = await server.get('/inference/openai/v2/hardware?model=gpt-4o');
  expect(ofOpenai.json.hardware.map((each: { id: string }) => each.id)).toEqual(['openai']);
  expect((await server.get('/inference/nvidia/v2/hardware?model=x')).json).toEqual({ hardware: [] });
});

test('lists models for analysis, and answers under any provider name [evaluations 31]', async () => {
  const { status, json } = await server.get('/inference/analysis/artificialanalysis/models');
  expect([status, json.data.length > 1000]).toEqual([200, true]);
  expect(json.data.map((model: { id: string }) => model.id)).toContain('openai/gpt-4o');
  const groq = (await server.get('/inference/router/groq/models')).json.data;
  expect(groq.length).toBeGreaterThan(5);
  expect(groq.length).toBeLessThan(200);
  for (const path of ['/inference/router/provider/models', '/inference/analysis/provider/models']) {
    expect((await server.get(path)).json.data).toEqual(json.data);
  }
  expect((await server.get('/inference/provider/v2/hardware?model=gpt-4o')).json.hardware.length).toBeGreaterThan(0);
});

test.each([
  ['/inference/router/openrouter/models'],
  ['/inference/analysis/artificialanalysis/models'],
  ['/inference/nvidia/v2/hardware?model=x'],
])('%s requires a key [evaluations 28 31]', async (path) => {
  expect((await server.get(path, { key: null })).status).toBe(401);
});
