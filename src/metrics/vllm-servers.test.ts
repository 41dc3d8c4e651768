import { expect, test } from 'vitest';
import { openServers, startDouble } from '../inference/vllm/servers/testing/open-servers.ts';
import { openMetrics } from './metrics.ts';

async function metricsOf(addresses: string[]) {
  const servers = await openServers(addresses);
  const metrics = openMetrics();
  metrics.ask({
    models: async () => new Map(),
    server: async () => ({
      ...{ stores: [], disk: { freeBytes: 0, reserveBytes: 0, isShort: false }, jobs: [], peers: null },
      modelMemory: { bytesMax: 0, freeBytes: 0 },
      vllmServers: servers.states(),
    }),
  });
  const lines = async () => (await metrics.text()).split('\n').filter((line) => line.startsWith('heddle_vllm_server_'));
  return { servers, lines };
}

test('reports the circuit, requests and version of each vLLM server', async () => {
  const double = await startDouble();
  double.more.running = 3;
  double.more.waiting = 2;
  const { servers, lines } = await metricsOf([double.url]);
  const address = `address="${double.url}"`;
  expect(await lines()).toEqual([
    `heddle_vllm_server_up{${address}} 1`,
    `heddle_vllm_server_circuit{${address},state="closed"} 1`,
    `heddle_vllm_server_circuit{${address},state="halfOpen"} 0`,
    `heddle_vllm_server_circuit{${address},state="open"} 0`,
    `heddle_vllm_server_circuit_since_timestamp_seconds{${address}} ${servers.states()[0]!.since.getTime() / 1000}`,
    `heddle_vllm_server_requests_running{${address}} 3`,
    `heddle_vllm_server_requests_waiting{${address}} 2`,
    `heddle_vllm_server_info{${address},version="0.32.0"} 1`,
  ]);
});

test('opens the circuit of a server that is lost, and drops its last numbers of requests', async () => {
  const double = await startDouble();
  const { servers, lines } = await metricsOf([double.url]);
  expect(await lines()).toHaveLength(8);
  await double.stop();
  await servers.check();
  const address = `address="${double.url}"`;
  const found = await lines();
  expect(found).toContain(`heddle_vllm_server_up{${address}} 0`);
  expect(found).toContain(`heddle_vllm_server_circuit{${address},state="closed"} 0`);
  expect(found).toContain(`heddle_vllm_server_circuit{${address},state="open"} 1`);
  expect(found.filter((line) => /requests/.test(line))).toEqual([]);
});

test('has no series without vLLM servers', async () => {
  const { lines } = await metricsOf([]);
  expect(await lines()).toEqual([]);
});
