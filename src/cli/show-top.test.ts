import { expect, test } from 'vitest';
import { vllmServerLines } from '../admin/vllm-server-lines.ts';
import { openServers, startDouble } from '../inference/vllm/servers/testing/open-servers.ts';
import { topLines } from './show-top.ts';

type Snapshot = Parameters<typeof topLines>[0];

const idle: Snapshot = {
  ...{ version: '1.0.0', at: 1_795_000_000_000, uptimeSeconds: 60, requests: 0, callParts: 0 },
  ...{ queries: { running: 0, count: 0, seconds: 0 }, residentBytes: 0, diskFreeBytes: 0 },
  ...{ models: [], stores: [], jobs: [], peers: null, vllmServers: [] },
};

function linesOf(vllmServers: Snapshot['vllmServers']): string[] {
  const lines = topLines(idle, { ...idle, vllmServers });
  return lines.slice(lines.findIndex((line) => line.startsWith('Jobs')) + 1, lines.lastIndexOf(''));
}

test('has a line for each vLLM server, whose circuit says whether it is up', async () => {
  const [busy, gone] = [await startDouble(), await startDouble()];
  busy.more.running = 3;
  busy.more.waiting = 2;
  const servers = await openServers([busy.url, gone.url]);
  await gone.stop();
  await servers.check();
  const [first, second] = vllmServerLines(servers.states());
  const lines = linesOf([
    first!,
    { ...second!, since: idle.at - 300_000 },
    { ...first!, circuit: 'halfOpen', reason: 'answered 503' },
  ]);
  expect(lines).toEqual([
    `vLLM      ${busy.url.padEnd(24)}  up, 3 running, 2 waiting, tiny`,
    `          ${gone.url.padEnd(24)}  DOWN 5 min, cannot be reached (ECONNREFUSED)`,
    `          ${busy.url.padEnd(24)}  up again, 3 running, 2 waiting, tiny`,
  ]);
});

test('says nothing of vLLM without its servers', () => {
  expect(linesOf([])).toEqual([]);
});
