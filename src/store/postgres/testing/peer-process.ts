import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openCallers } from '../../../identity/callers.ts';
import type { Peers } from '../../peers/peers.ts';
import { openServerPeers } from '../peers/server-peers.ts';
import { connectionOptions } from '../server/connection-options.ts';
import { openStore } from '../server/open.ts';
import { openPool } from '../server/pool.ts';
import { parseServerUrl } from '../server/server-url.ts';

/** What a process can be asked. */
type Question = { authenticate: string } | { lease: string } | { isHeld: string };

/** A process that shares a PostgreSQL server with others, for tests that freeze or kill it. */
export type PeerProcess = {
  child: ChildProcess;
  ask(question: Question): Promise<unknown>;
  end(): Promise<void>;
};

export async function startPeerProcess(url: string, leaseMs: number): Promise<PeerProcess> {
  const child = spawn(process.execPath, [import.meta.filename, url, String(leaseMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value!);
  await next();
  return {
    child,
    async ask(question) {
      child.stdin!.write(`${JSON.stringify(question)}\n`);
      return next();
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function answerQuestions(url: string, leaseMs: number): Promise<void> {
  const address = parseServerUrl(url);
  const direct = await connectionOptions(address);
  const pool = openPool(direct, { connectionsMax: 4, answerMsMax: 10_000 });
  const held = { change: () => Promise.reject(new Error('its tests have migrated the schema')), close: async () => {} };
  const postgres = openStore(pool, address.schema, held);
  const peers = await openServerPeers(postgres, { direct, leaseMs, onError: () => {} });
  const callers = openCallers(postgres, peers);
  const leases = new Map<string, Awaited<ReturnType<Peers['lease']>>>();

  async function answer(question: Question): Promise<unknown> {
    if ('authenticate' in question) {
      const caller = await callers.authenticate({ authorization: `Bearer ${question.authenticate}` });
      return caller?.username ?? null;
    }
    if ('isHeld' in question) return leases.get(question.isHeld)?.isHeld() ?? false;
    leases.set(question.lease, await peers.lease(question.lease, leaseMs));
    return leases.get(question.lease) !== null;
  }

  process.stdout.write('true\n');
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}

if (process.argv[1] === import.meta.filename) await answerQuestions(process.argv[2]!, Number(process.argv[3]));
