import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hit, quantile, type Shot, send } from '../load.ts';
import { report } from '../report.ts';
import type { Peer } from './peer.ts';
import type { Server } from './server.ts';

const connections = 8;

export type Load = {
  /** Exports that were sent, of those given: the first so many. */
  sent: number;
  acknowledged: number;
  refused: number;
  failed: number;
  ms: number[];
  startedAt: number;
  seconds: number;
};

/**
 * Sends exports over a few connections, each as soon as the one before is answered, until all are sent or the time is
 * over. As exporters do, it sends again what was refused for the time being or lost with its connection, and gives up what failed.
 */
export async function load(peer: Peer, { address }: Server, bodies: Buffer[], secondsMax: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  const ms: number[] = [];
  let [next, refused, failed] = [0, 0, 0];
  const connection = async () => {
    while (next < bodies.length && elapsed() < secondsMax) {
      const shot = shotOf(peer, bodies[next++]!);
      let hit = await attempt(address, agent, shot);
      while (isRefused(hit) && elapsed() < secondsMax + refusedSecondsMax) {
        refused++;
        await sleep(100);
        hit = await attempt(address, agent, shot);
      }
      if (hit.status === 200) ms.push(hit.ms);
      else if (++failed > ms.length + connections)
        throw new Error(`exports fail: ${hit.status} ${hit.text.slice(0, 200)}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    agent.destroy();
  }
  return { sent: next, acknowledged: ms.length, refused, failed, ms, startedAt, seconds: elapsed() };
}

/** A connection that the server closes is as good as a refusal. */
async function attempt(address: string, agent: Agent, shot: Shot): Promise<Hit> {
  try {
    return await send(address, agent, shot);
  } catch (error) {
    return { status: connectionLost, text: (error as Error).message, headers: {}, ms: 0 };
  }
}

const connectionLost = 0;
const isRefused = ({ status }: Hit) => status === 429 || status === 503 || status === connectionLost;

/** Waits until no more spans appear, and answers how many there are and when the last of them appeared. */
export async function untilSettled(peer: Peer, { client }: Server, expected: number, msMax = settleMsMax) {
  const startedAt = performance.now();
  let [count, changedAt] = [-1, startedAt];
  for (let now = startedAt; now - startedAt < msMax && now - changedAt < stillMs; now = performance.now()) {
    const counted = await peer.countSpans(client);
    if (counted !== count) [count, changedAt] = [counted, performance.now()];
    if (count >= expected) break;
    await sleep(250);
  }
  return { count, changedAt };
}

export function reportLoad(peer: Peer, { acknowledged, refused, failed, ms, seconds }: Load, spansEach: number): void {
  report(`${peer.name}: spans through OTLP`, {
    'acknowledged spans/s': (acknowledged * spansEach) / seconds,
    'request p50 ms': quantile(ms, 0.5),
    'p99 ms': quantile(ms, 0.99),
    ...(refused > 0 ? { 'requests sent again': refused } : {}),
    ...(failed > 0 ? { 'requests failed': failed } : {}),
  });
}

function shotOf({ otlp }: Peer, body: Buffer): Shot {
  return { path: otlp.path, headers: { ...otlp.headers, 'content-type': 'application/x-protobuf' }, body };
}

const refusedSecondsMax = 60;
const settleMsMax = 60_000;
const stillMs = 5_000;
