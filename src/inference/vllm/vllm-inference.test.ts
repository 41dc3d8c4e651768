import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ModelReference } from '../../chat/types.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import { testLimits } from '../hosts/testing/options.ts';
import { tinyPath } from '../own/testing/open-tiny.ts';
import { openServers, startDouble } from './servers/testing/open-servers.ts';
import { openVllmInference } from './vllm-inference.ts';
import { describeModel } from './vllm-models.ts';

/** The model `tiny` at a double, with its process here. */
async function openAtDouble() {
  const double = await startDouble();
  const folder = mkdtempSync(join(tmpdir(), 'heddle-vllm-'));
  const servers = await openServers([double.url]);
  const model = await describeModel(servers.models()[0]!, tinyPath, new Date());
  const inference = openVllmInference({
    ...{ servers, addresses: [double.url], apiKey: null, scoresPrompts: true, adaptersFolder: folder },
    ...{ limits: testLimits, niceness: 0, models: () => [model] },
    withModelFiles: () => Promise.reject(new Error('no model is installed')),
    withLocalFiles: () => Promise.reject(new Error('no adapter is in blobs')),
  });
  onTestFinished(async () => {
    await inference.close();
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify({ r: 8 }));
  writeFileSync(join(folder, 'adapter_model.safetensors'), '');
  const base: ModelReference = { id: model.id, name: 'tiny', adapter: null };
  const trained: ModelReference = {
    ...base,
    name: 'trained',
    adapter: { id: 'a' as AdapterId, title: 'trained', files: { folder } },
  };

  async function chat(asked = base, signal = new AbortController().signal): Promise<void> {
    const body = chatRequest.parse({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 });
    const request = {
      tenant: ['user', 'project'],
      body,
      usesNeutralSampling: false,
      keepsLogprobs: false,
      now: 0,
    } as const;
    const { events } = await inference.generate(asked, request, signal);
    for await (const _ of events);
  }

  return { double, servers, inference, trained, chat };
}

test('a request for an adapter can be the first one for its base model', async () => {
  const { double, trained, chat } = await openAtDouble();
  await chat(trained);
  await chat();
  const models = double.received.filter(({ body }) => body?.return_token_ids).map(({ body }) => body.model);
  expect(models.slice(-2)).toEqual([...double.adapters.keys(), 'tiny']);
});

test('shows the circuit that failing requests have opened in the process of the model', async () => {
  const { double, servers, inference, chat } = await openAtDouble();
  await chat();
  expect(await inference.states()).toMatchObject([{ circuit: 'closed', reason: null }]);
  double.faults.status = 503;
  double.faults.healthStatus = 503; // or the circuit would not stay open
  for (let i = 0; i < 3; i++) await expect(chat()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(servers.states()).toMatchObject([{ circuit: 'closed' }]);
  const [state] = await inference.states();
  expect(state).toMatchObject({ circuit: 'open', reason: 'answered 503' });
  expect(state!.since).toBeInstanceOf(Date);
});

test('shows the requests and adapters of the process of the model', async () => {
  const { double, inference, trained, chat } = await openAtDouble();
  await chat(trained); // probes are requests, too
  double.faults.firstMs = 60_000;
  const stop = new AbortController();
  const refused = expect(chat(trained, stop.signal)).rejects.toThrow('hung up');
  await expect.poll(double.running).toBe(1);
  expect(await inference.states()).toMatchObject([{ inFlight: 1, adapters: [...double.adapters.keys()] }]);
  expect(double.adapters.size).toBe(1);
  stop.abort();
  await refused;
});

test('shows the servers as this process finds them while no model is open', async () => {
  const { double, servers, inference } = await openAtDouble();
  await double.stop();
  await servers.check();
  expect(await inference.states()).toEqual(servers.states());
});
