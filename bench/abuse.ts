import { Agent } from 'node:http';
import { type Storm, type StormTarget, storms } from './support/abuse/storms.ts';
import { probeHealth } from './support/health-probe.ts';
import { startHeddle } from './support/heddle.ts';
import { quantile } from './support/load.ts';
import { report } from './support/report.ts';
import { startWellBehavedClient } from './support/well-behaved-client.ts';

/**
 * Sends one kind of hostile request after the other, ten at once for 20 s or as many as are given, beside a client that
 * makes 200 small writes and 20 reads a second in another project. That client must see no error and reads under 500 ms,
 * `/health` must answer within 100 ms, no hostile request may get a 5xx, and memory must come back afterwards.
 *
 * `npm run bench -- abuse [seconds] [part of a storm's name]`
 */
const seconds = Number(process.argv[2] ?? 20);
const chosen = storms.filter(({ name }) => name.includes(process.argv[3] ?? ''));
const atOnce = 10;

const heddle = await startHeddle();
const client = { address: heddle.address, key: heddle.key, project: 'bench/client' };
const target = { address: heddle.address, key: heddle.key, project: 'bench/storm' };
let isMissed = false;

report('at rest', { 'MB of memory': heddle.residentBytes() / 1e6 });
await beside({ name: 'no storm', shoot: () => new Promise((resolve) => setTimeout(() => resolve(200), 100)) });
for (const storm of chosen) await beside(storm);
await new Promise((resolve) => setTimeout(resolve, 30_000));
const memoryAfter = heddle.residentBytes();
report('30 s later', { 'MB of memory': memoryAfter / 1e6 });
if (memoryAfter > 1e9) isMissed = true;
await heddle.stop();
heddle.remove();
if (isMissed) process.exitCode = 1;

async function beside(storm: Storm): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const prepared = await storm.prepare?.({ ...target, agent });
  let memory = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, heddle.residentBytes());
  }, 250);
  const wellBehaved = startWellBehavedClient(client);
  const probe = probeHealth(heddle.address);
  const statuses = await blow(storm, { ...target, agent }, prepared);
  const [figures, health] = await Promise.all([wellBehaved.stop(), probe.stop()]);
  clearInterval(watch);
  agent.destroy();

  const healthMs = health.map((ms) => (Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms));
  const [reads, writes, healthy] = [figures.readsMs, figures.writesMs, healthMs].map((each) => quantile(each, 0.99));
  report(storm.name, {
    'reads p99 ms': reads!,
    'writes p99 ms': writes!,
    '/health p99 ms': healthy!,
    'MB at most': memory / 1e6,
    'client errors': describe(figures.errors),
    'storm answers': describe(statuses),
  });
  const hasServerError = Object.keys(statuses).some((status) => Number(status) >= 500);
  const isHarmed = Object.keys(figures.errors).length > 0 || reads! > 500 || healthy! > 100 || memory > 2.5e9;
  if (isHarmed || hasServerError) isMissed = true;
}

/** Ten requests at once, each followed by the next, until the time is up. @returns how often each status came */
async function blow(storm: Storm, target: StormTarget, prepared: unknown): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const endsAt = performance.now() + seconds * 1000;
  const connection = async () => {
    while (performance.now() < endsAt) {
      const status = await storm.shoot(target, prepared).catch((error) => error.code ?? error.message);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, connection));
  return statuses;
}

function describe(counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} × ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
