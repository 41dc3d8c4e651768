import { countCalls, startHeddle } from './support/heddle.ts';
import { quantile, sendAll } from './support/load.ts';
import { otlpShots } from './support/otlp-shots.ts';
import { report } from './support/report.ts';

/**
 * How many spans of 5.4 kB a second are durable and visible, in exports of one trace of 12 spans, and what one takes
 * on disk. A fresh directory for each run; the client is this process, so it shares the machine with the server.
 */

const traces = 1_000;
const spansPerTrace = 12;
const connections = 48;

const rates: number[] = [];
const latencies: number[] = [];
for (let run = 0; run < 2; run++) {
  const heddle = await startHeddle();
  const { hits, seconds } = await sendAll(heddle.address, otlpShots(heddle.key, traces, spansPerTrace), connections);
  const refused = hits.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`${refused.length} requests were refused: ${refused[0]!.text}`);
  if ((await countCalls(heddle)) !== traces * spansPerTrace) throw new Error('not every span is visible');
  rates.push((traces * spansPerTrace) / seconds);
  latencies.push(...hits.map(({ ms }) => ms));
  await heddle.stop();
  heddle.remove();
}
report('OTLP, protobuf, traces of 12 spans', {
  'spans/s': quantile(rates, 0.5),
  'request p50 ms': quantile(latencies, 0.5),
  'p99 ms': quantile(latencies, 0.99),
});
