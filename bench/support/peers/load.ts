import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, type Shot, send } from '../load.ts';
import { report } from '../report.ts';
import type { Peer } from './peer.ts';
import type { Server } from './server.ts';

const connections = 8;

export type Load = {
  /** Exports that were acknowledged, of those given: the first so many. */
  acknowledged: number;
  refused: number;
  ms: number[];
  startedAt: number;
  seconds: number;
};

/**
 * Sends exports over a few connections, each as soon as the one before is answered, until all are sent or the time is
 * over. As exporters do, it sends again what was refused for the time being.
 */
export async function load(peer: Peer, { address }: Server, bodies: Buffer[], secondsMax: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > secondsMax * 1000;
  const ms: number[] = [];
  let [next, refused] = [0, 0];
  const connection = async () => {
    while (next < bodies.length && !isOver()) {
      const shot = shotOf(peer, bodies[next++]!);
      for (let hit = await send(address, agent, shot); ; hit = await send(address, agent, shot)) {
        if (hit.status === 200) {
          ms.push(hit.ms);
          break;
        }
        if (hit.status !== 429 && hit.status !== 503)
          throw new Error(`an export was answered with ${hit.status}: ${hit.text}`);
        if (performance.now() - startedAt > secondsMax * 1000 + refusedMsMax)
          throw new Error(`it went on to refuse: ${hit.text}`);
        refused++;
        await sleep(100);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    agent.destroy();
  }
  return { acknowledged: ms.length, refused, ms, startedAt, seconds: (performance.now() - startedAt) / 1000 };
}

/** Waits until no more spans appear, and answers how many there are and when the last of them appeared. */
export async function untilSettled(peer: Peer, { client }: Server, expected: number) {
  const startedAt = performance.now();
  let [count, changedAt] = [-1, startedAt];
  for (let now = startedAt; now - startedAt < settleMsMax && now - changedAt < stillMs; now = performance.now()) {
    const counted = await peer.countSpans(client);
    if (counted !== count) [count, changedAt] = [counted, performance.now()];
    if (count >= expected) break;
    await sleep(250);
  }
  return { count, changedAt };
}

export function reportLoad(peer: Peer, { acknowledged, refused, ms, seconds }: Load, spansEach: number): void {
  report(`${peer.name}: spans through OTLP`, {
    'acknowledged spans/s': (acknowledged * spansEach) / seconds,
    'request p50 ms': quantile(ms, 0.5),
    'p99 ms': quantile(ms, 0.99),
    ...(refused > 0 ? { 'requests refused for a while': refused } : {}),
  });
}

function shotOf({ otlp }: Peer, body: Buffer): Shot {
  return { path: otlp.path, headers: { ...otlp.headers, 'content-type': 'application/x-protobuf' }, body };
}

const refusedMsMax = 60_000;
const settleMsMax = 60_000;
const stillMs = 5_000;
