import { Agent } from 'node:http';
import { completeShots } from './support/call-shots.ts';
import { countCalls, startHeddle } from './support/heddle.ts';
import { type Hit, quantile, type Shot, send, sendAll } from './support/load.ts';
import { report } from './support/report.ts';

/**
 * Offers four times the rate that the server sustains, for 30 s, without waiting for answers. Memory must stay bounded,
 * every call that was acknowledged must be readable, every refusal must be a 429 that says when to come back, and
 * `/health` must go on answering.
 */

const seconds = 30;
const batch = 100;

const heddle = await startHeddle();
const warmUp = await sendAll(heddle.address, completeShots(heddle.key, 20_000, batch), 8);
const sustained = 20_000 / warmUp.seconds;
report('sustained', { 'calls/s': sustained, 'MB of memory': heddle.residentBytes() / 1e6 });

const offered = 4 * sustained;
const shots = completeShots(heddle.key, Math.ceil((offered * 3) / batch) * batch, batch, 2);
const hits: Hit[] = [];
const acknowledged = new Set<number>();
const health: number[] = [];
let memory = 0;
const probe = setInterval(async () => {
  memory = Math.max(memory, heddle.residentBytes());
  const startedAt = performance.now();
  await fetch(`${heddle.address}/health`);
  health.push(performance.now() - startedAt);
}, 100);
await offer(shots, offered / batch);
clearInterval(probe);

const accepted = hits.filter(({ status }) => status === 200).length;
const refused = hits.filter(({ status }) => status === 429).length;
const stored = await countCalls(heddle);
report('offered 4 times that for 30 s', {
  'calls/s': offered,
  'requests accepted': accepted,
  'refused with 429': refused,
  'answered otherwise': hits.length - accepted - refused,
  'MB of memory at most': memory / 1e6,
  '/health p99 ms': quantile(health, 0.99),
  '/health max ms': Math.max(...health),
});
report('readable of the acknowledged', { calls: stored, of: 20_000 + acknowledged.size * batch });
await heddle.stop();
heddle.remove();

/** Sends at a fixed rate, whatever the server answers. The bodies repeat: a call sent twice is the same call. */
async function offer(bodies: Shot[], requestsPerSecond: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const startedAt = performance.now();
  const pending = new Set<Promise<unknown>>();
  for (let sent = 0; ; sent++) {
    const due = startedAt + (sent * 1000) / requestsPerSecond;
    if (due > startedAt + seconds * 1000) break;
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    const index = sent % bodies.length;
    const hit = send(heddle.address, agent, bodies[index]!)
      .then((answer) => {
        hits.push(answer);
        if (answer.status === 200) acknowledged.add(index);
      })
      .finally(() => pending.delete(hit));
    pending.add(hit);
  }
  await Promise.all(pending);
  agent.destroy();
}
