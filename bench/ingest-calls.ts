import { completeShots, upsertShots } from './support/call-shots.ts';
import { countCalls, startHeddle } from './support/heddle.ts';
import { quantile, type Shot, sendAll } from './support/load.ts';
import { report } from './support/report.ts';

/**
 * How many calls of 2 kB a second are durable and visible, through each way of writing. A fresh directory for each run;
 * the client is this process, so it shares the machine with the server.
 */

const connections = 16;
const variants: [name: string, calls: number, make: (key: string) => Shot[]][] = [
  ['calls/complete, 100 a request', 40_000, (key) => completeShots(key, 40_000, 100)],
  ['calls/complete, 1000 a request', 40_000, (key) => completeShots(key, 40_000, 1000)],
  ['upsert_batch, 50 calls a request', 40_000, (key) => upsertShots(key, 40_000, 50)],
  ['calls/complete, 1 a request', 8_000, (key) => completeShots(key, 8_000, 1)],
];

for (const [name, calls, make] of variants) {
  const rates: number[] = [];
  const latencies: number[] = [];
  for (let run = 0; run < 3; run++) {
    const heddle = await startHeddle();
    const { hits, seconds } = await sendAll(heddle.address, make(heddle.key), connections);
    const refused = hits.filter(({ status }) => status !== 200);
    if (refused.length > 0) throw new Error(`${refused.length} requests were refused: ${refused[0]!.text}`);
    if ((await countCalls(heddle)) !== calls) throw new Error('not every call is visible');
    rates.push(calls / seconds);
    latencies.push(...hits.map(({ ms }) => ms));
    await heddle.stop();
    heddle.remove();
  }
  report(name, {
    'calls/s': quantile(rates, 0.5),
    'request p50 ms': quantile(latencies, 0.5),
    'p99 ms': quantile(latencies, 0.99),
  });
}
