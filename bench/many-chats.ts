import { loadavg } from 'node:os';
import { chatShot, usageOf } from './support/chats.ts';
import { probeHealth } from './support/health-probe.ts';
import { startHeddle } from './support/heddle.ts';
import { quantile, sendAll } from './support/load.ts';
import { prose } from './support/prose.ts';
import { randomFrom } from './support/random.ts';
import { report } from './support/report.ts';

/**
 * 768 chats of 40 tokens with heddle/tiny that arrive at once, compared with as many that arrive as fast as they are
 * answered, 32 at a time: all are answered, as fast, and `/health` goes on answering.
 */

const [chats, newTokens, steadyConnections] = [768, 40, 32];
let asked = 0;

const heddle = await startHeddle();
report('load of the machine before', { 'in the last minute': loadavg()[0]! });
await run('the first chats', 64, steadyConnections);
const steady = await run('steady, 32 at a time', chats, steadyConnections);
const atOnce = await run('all at once', chats, chats);
report('throughput of all at once', { '% of steady': (100 * atOnce) / steady });
report('load of the machine after', { 'in the last minute': loadavg()[0]! });
await heddle.stop();
heddle.remove();

/** @returns generated tokens per second */
async function run(name: string, count: number, connections: number): Promise<number> {
  const shots = Array.from({ length: count }, () =>
    chatShot(heddle.key, '/v1/chat/completions', {
      model: 'heddle/tiny',
      messages: [{ role: 'user', content: prose(randomFrom(++asked), 120) }],
      max_tokens: newTokens,
      ignore_eos: true,
      temperature: 0,
    }),
  );
  const probe = probeHealth(heddle.address);
  const { hits, seconds } = await sendAll(heddle.address, shots, connections);
  const health = await probe.stop();
  const answered = hits.filter(({ status, text }) => status === 200 && usageOf(text).completion_tokens === newTokens);
  const healthMs = health.filter((ms) => !Number.isNaN(ms));
  const rate = (answered.length * newTokens) / seconds;
  report(name, {
    answered: answered.length,
    of: count,
    'new tokens/s': rate,
    'ms p50 of a chat': quantile(
      hits.map(({ ms }) => ms),
      0.5,
    ),
    '/health p50 ms': quantile(healthMs, 0.5),
    p99: quantile(healthMs, 0.99),
    'without an answer': health.length - healthMs.length,
  });
  return rate;
}
