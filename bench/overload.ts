import { Agent } from 'node:http';
import { completeShots } from './support/call-shots.ts';
import { probeHealth } from './support/health-probe.ts';
import { countCalls, startHeddle } from './support/heddle.ts';
import { quantile, type Shot, send, sendAll } from './support/load.ts';
import { report } from './support/report.ts';

/**
 * Offers four times the rate that the server sustains, for 30 s or as many as are given, without waiting for answers.
 * Memory must stay bounded, every call that was acknowledged must be readable, every refusal must be a 429 that says
 * when to come back, and `/health` must go on answering.
 */

const seconds = Number(process.argv[2] ?? 30);
const batch = 100;
const warmUpCalls = 20_000;
const idKey = '"id":"';

const heddle = await startHeddle();
const warmUp = await sendAll(heddle.address, completeShots(heddle.key, warmUpCalls, batch), 8);
const sustained = warmUpCalls / warmUp.seconds;
report('sustained', { 'calls/s': sustained, 'MB of memory': heddle.residentBytes() / 1e6 });

const requestsPerSecond = (4 * sustained) / batch;
const shots = completeShots(heddle.key, 5_000, batch, 2);
const statuses = new Map<number, number>();
const count = (status: number) => statuses.get(status) ?? 0;
let withoutTime = 0;
let memory = 0;
const watch = setInterval(() => {
  memory = Math.max(memory, heddle.residentBytes());
}, 100);
const probe = probeHealth(heddle.address);
const sent = await offer();
const health = await probe.stop();
clearInterval(watch);
const healthMs = health.filter((ms) => !Number.isNaN(ms));

const accepted = count(200);
report(`offered for ${seconds} s`, {
  'calls/s': (sent * batch) / seconds,
  'calls/s wanted': requestsPerSecond * batch,
  'requests accepted': accepted,
  'refused with 429': count(429),
  'of these without Retry-After': withoutTime,
  'without an answer': count(0),
  'answered otherwise': sent - accepted - count(429) - count(0),
});
report('meanwhile', {
  'MB of memory at most': memory / 1e6,
  '/health p99 ms': quantile(healthMs, 0.99),
  '/health max ms': Math.max(...healthMs),
  '/health without an answer': health.length - healthMs.length,
});
const stored = await countCalls(heddle);
const acknowledged = warmUpCalls + accepted * batch;
report('readable', { calls: stored, acknowledged });
await heddle.stop();
heddle.remove();
// More may be stored than was acknowledged: a request without an answer may have been written.
if (stored < acknowledged || (count(0) === 0 && stored > acknowledged)) process.exitCode = 1;

/** Sends new calls at a fixed rate, whatever the server answers, and resolves with how many requests when all are answered. */
async function offer(): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const startedAt = performance.now();
  const pending = new Set<Promise<void>>();
  let sent = 0;
  for (; ; sent++) {
    const due = startedAt + (sent * 1000) / requestsPerSecond;
    if (performance.now() > startedAt + seconds * 1000) break;
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    if (sent % 16 === 0) await new Promise((resolve) => setImmediate(resolve)); // answers are read even when we are late
    const hit = send(heddle.address, agent, withNewIds(shots[sent % shots.length]!, sent)).then(
      ({ status, headers }) => {
        statuses.set(status, count(status) + 1);
        if (status === 429 && headers['retry-after'] === undefined) withoutTime++;
      },
      () => void statuses.set(0, count(0) + 1),
    );
    pending.add(hit);
    void hit.finally(() => pending.delete(hit));
  }
  await Promise.all(pending);
  agent.destroy();
  return sent;
}

/** The same calls under other ids: a call that is sent twice would be the same call. */
function withNewIds({ body, ...shot }: Shot, number: number): Shot {
  const copy = Buffer.from(body);
  const start = number.toString(16).padStart(8, '0');
  for (let at = copy.indexOf(idKey); at >= 0; at = copy.indexOf(idKey, at)) {
    at += idKey.length;
    copy.write(start, at);
  }
  return { ...shot, body: copy };
}
