import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { putQuestion } from './support/peers/ask.ts';
import { diskBytes } from './support/peers/disk.ts';
import { heddle } from './support/peers/heddle.ts';
import { load, reportLoad, untilSettled } from './support/peers/load.ts';
import { mlflow } from './support/peers/mlflow.ts';
import { longTraceQuestion, type Peer, shortQuestions } from './support/peers/peer.ts';
import { phoenix } from './support/peers/phoenix.ts';
import { makeDirectory, removeDirectory, type Server, startServer } from './support/peers/server.ts';
import { makeSpans } from './support/peers/spans.ts';
import { report } from './support/report.ts';

/**
 * heddle beside MLflow and Phoenix: the same spans through OTLP, the same questions over HTTP, one system after the other
 * on a fresh directory with its own defaults: `node bench/peers.ts [--spans 20000] [--systems heddle,mlflow,phoenix]`.
 * It needs Python 3.11, and the first time a network: the peers are installed below `HEDDLE_BENCH_PEERS`, else
 * `HEDDLE_BENCH_DIR`, else the system's temporary directory. The client is this process, so it shares the machine with them.
 */

const peers: Record<string, Peer> = { heddle, mlflow, phoenix };
const timedSecondsMax = 60;
const untimedSecondsMax = 600;
const restMs = 5_000;

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '20000' },
    systems: { type: 'string', default: Object.keys(peers).join(',') },
  },
});
const chosen = values.systems.split(',').map((name) => {
  if (peers[name] === undefined) throw new Error(`There is no system ${name}, only ${Object.keys(peers).join(', ')}.`);
  return peers[name];
});
const spans = makeSpans(Number(values.spans));
for (const peer of chosen) {
  const data = makeDirectory(peer.name);
  try {
    peer.install();
    let emptyBytes = 0;
    await withServer(peer, data, async (server) => {
      emptyBytes = startedEmpty(peer, server, data);
      await fill(peer, server);
    });
    const bytes = diskBytes(data);
    await withServer(peer, data, async (server) => {
      await rest(peer, server, bytes, emptyBytes);
      for (const name of shortQuestions) await putQuestion(peer, server, spans, name);
      await load(peer, server, spans.longTraceExports, untimedSecondsMax);
      await untilSettled(peer, server, spans.spans + spans.longTrace.spans);
      await putQuestion(peer, server, spans, longTraceQuestion);
    });
  } catch (error) {
    report(`${peer.name}: the rest`, { [(error as Error).message]: 'failed:' });
    process.exitCode = 1;
  }
  removeDirectory(data);
}
process.exit(); // connections that a peer keeps open would hold it

function startedEmpty(peer: Peer, { healthyAfterMs }: Server, data: string): number {
  const bytes = diskBytes(data);
  report(`${peer.name}: start on an empty directory`, {
    'ms to healthy': healthyAfterMs,
    'MB of disk': bytes / 1e6,
  });
  return bytes;
}

async function fill(peer: Peer, server: Server): Promise<void> {
  const spansEach = spans.spans / spans.exports.length;
  const timed = await load(peer, server, spans.exports, timedSecondsMax);
  const expected = timed.acknowledged * spansEach;
  const { count, changedAt } = await untilSettled(peer, server, expected);
  reportLoad(peer, timed, spansEach);
  report(`${peer.name}: readable of the acknowledged`, {
    spans: count,
    of: expected,
    'visible spans/s': count / ((changedAt - timed.startedAt) / 1000),
  });
  if (timed.sent === spans.exports.length) return;
  const others = await load(peer, server, spans.exports.slice(timed.sent), untimedSecondsMax);
  const settled = await untilSettled(peer, server, expected + others.acknowledged * spansEach);
  report(`${peer.name}: loaded for the questions`, { spans: settled.count });
}

async function rest(peer: Peer, server: Server, bytes: number, emptyBytes: number): Promise<void> {
  const { healthyAfterMs, client } = server;
  await sleep(restMs);
  const memory = server.residentBytes();
  const spans = await peer.countSpans(client);
  report(`${peer.name}: start on that store`, {
    'ms to healthy': healthyAfterMs,
    'MB of memory at rest': memory / 1e6,
    'bytes of disk a span': bytes / spans,
    'of them beyond the empty store': (bytes - emptyBytes) / spans,
  });
}

async function withServer(peer: Peer, data: string, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer(peer, data);
  try {
    await use(server);
    await sleep(restMs); // what it does behind its answers comes to its end
  } finally {
    await server.stop();
  }
}
