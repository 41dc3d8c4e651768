import { Agent } from 'node:http';
import { completeShots } from './support/call-shots.ts';
import { benchProject, type Heddle, startHeddle } from './support/heddle.ts';
import { send } from './support/load.ts';
import { report } from './support/report.ts';

/** Ten times kill -9 in the middle of ingest: every call that was acknowledged must be there after the restart. */

const kills = 10;
const batch = 20;
const acknowledged = new Set<string>();
let heddle = await startHeddle();

for (let kill = 0; kill < kills; kill++) {
  await ingestUntilKilled(heddle, kill);
  heddle = await startHeddle(heddle.data);
  report(`kill ${kill + 1}`, {
    acknowledged: acknowledged.size,
    lost: await countLost(),
    'ms to healthy': heddle.healthyAfterMs,
  });
}
await heddle.stop();
heddle.remove();

async function ingestUntilKilled(server: Heddle, seed: number): Promise<void> {
  const shots = completeShots(server.key, 20_000, batch, seed + 1);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let isDead = false;
  let next = 0;
  const connection = async () => {
    while (!isDead && next < shots.length) {
      const shot = shots[next++]!;
      const hit = await send(server.address, agent, shot).catch(() => null);
      if (hit?.status !== 200) continue;
      for (const { id } of JSON.parse(shot.body.toString()).batch as { id: string }[]) acknowledged.add(id);
    }
  };
  const connections = Array.from({ length: 8 }, connection);
  await new Promise((resolve) => setTimeout(resolve, 1500 + seed * 137));
  await server.stop('SIGKILL');
  isDead = true;
  await Promise.all(connections);
  agent.destroy();
}

async function countLost(): Promise<number> {
  const found = new Set<string>();
  const response = await fetch(`${heddle.address}/calls/stream_query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${heddle.key}` },
    body: JSON.stringify({ project_id: benchProject, columns: ['id'] }),
  });
  for (const line of (await response.text()).split('\n')) {
    if (line !== '') found.add((JSON.parse(line) as { id: string }).id);
  }
  return acknowledged.difference(found).size;
}
