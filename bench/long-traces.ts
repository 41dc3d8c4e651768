import { randomUUID } from 'node:crypto';
import { wireCalls } from './support/call-shots.ts';
import { benchProject, type Heddle, startHeddle } from './support/heddle.ts';
import { quantile, type Shot, sendAll } from './support/load.ts';
import { report } from './support/report.ts';

/** How soon a long trace is there whole, streamed by a server, and how much memory that takes. */

const batch = 500;
const lineFeed = 10;

const heddle = await startHeddle();
for (const [length, aimMs] of [
  [2_000, 300],
  [50_000, 3_000],
] as const) {
  const traceId = randomUUID();
  await sendAll(heddle.address, traceShots(traceId, length), 4);
  await streamTrace(heddle, traceId);
  const ms: number[] = [];
  const grownBytes: number[] = [];
  for (let run = 0; run < 5; run++) {
    const streamed = await streamTrace(heddle, traceId);
    if (streamed.calls !== length) throw new Error(`${streamed.calls} calls were streamed of ${length}`);
    ms.push(streamed.ms);
    grownBytes.push(streamed.grownBytes);
  }
  report(`a trace of ${length.toLocaleString('en')}, streamed whole`, {
    'ms p50': quantile(ms, 0.5),
    max: quantile(ms, 1),
    'aimed at': aimMs,
    'MB of memory more at most': quantile(grownBytes, 1) / 1e6,
  });
}
await heddle.stop();
heddle.remove();

async function streamTrace({ address, key, residentBytes }: Heddle, traceId: string) {
  const bytesBefore = residentBytes();
  let bytesMost = bytesBefore;
  const watch = setInterval(() => {
    bytesMost = Math.max(bytesMost, residentBytes());
  }, 20);
  const startedAt = performance.now();
  const response = await fetch(`${address}/calls/stream_query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ project_id: benchProject, filter: { trace_ids: [traceId] } }),
  });
  let calls = 0;
  for await (const part of response.body!) for (const byte of part as Uint8Array) if (byte === lineFeed) calls++;
  clearInterval(watch);
  return { calls, ms: performance.now() - startedAt, grownBytes: bytesMost - bytesBefore };
}

function traceShots(traceId: string, length: number): Shot[] {
  const calls = wireCalls(length, length).map((call) => ({ ...call, trace_id: traceId }));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${heddle.key}` };
  return Array.from({ length: length / batch }, (_, i) => {
    const body = Buffer.from(JSON.stringify({ batch: calls.slice(i * batch, (i + 1) * batch) }));
    return { path: `/v2/${benchProject}/calls/complete`, headers, body };
  });
}
