import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutSettings } from '../../../testing/heddle-process.ts';
import { type Client, openClient } from './client.ts';
import type { Peer } from './peer.ts';
import { kill, processTree, residentBytes } from './process-tree.ts';

/** A server of a peer in processes of its own. */
export type Server = {
  address: string;
  client: Client;
  /** From the start of the process to the first good answer of its health path. */
  healthyAfterMs: number;
  residentBytes(): number;
  stop(): Promise<void>;
};

export async function startServer(peer: Peer, data: string): Promise<Server> {
  const port = await freePort();
  const { command, args, env } = await peer.program(data, port);
  const startedAt = performance.now();
  const child = spawn(command, args, {
    ...{
      cwd: data,
      env: { ...withoutSettings(process.env), ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  });
  running.add(child);
  const address = `http://127.0.0.1:${port}`;
  try {
    await untilHealthy(child, address + peer.healthPath);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return {
    address,
    client: openClient(address, peer.headers),
    healthyAfterMs: performance.now() - startedAt,
    residentBytes: () => residentBytes(child.pid!),
    stop: () => stop(child),
  };
}

/** A directory that is removed at the latest when the bench ends. */
export function makeDirectory(name: string): string {
  const directory = mkdtempSync(join(process.env.HEDDLE_BENCH_DIR ?? tmpdir(), `heddle-bench-${name}-`));
  directories.add(directory);
  return directory;
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  directories.delete(directory);
}

/** A port nobody listens at now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function untilHealthy(child: ChildProcess, url: string): Promise<void> {
  let printed = '';
  child.stderr!.on('data', (part) => {
    printed = (printed + part).slice(-2000);
  });
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const givesUpAt = performance.now() + startPatienceMs;
  while (performance.now() < givesUpAt) {
    if (failure) throw failure;
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} before it was ready:\n${printed}`);
    if (await answers(url)) return;
    await sleep(20);
  }
  throw new Error(`it was not ready after ${startPatienceMs / 1000} s:\n${printed}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Asks it to end; what has not ended after a while is killed. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return void running.delete(child);
  const tree = processTree(child.pid);
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
  });
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(stopPatienceMs, undefined, { ref: false })]);
  for (const each of tree) kill(each);
  killGroup(child);
  await ended;
  running.delete(child);
}

/** It leads a group of its own, to which most of what it starts belongs, also after its end. */
function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {} // nothing is left
}

const running = new Set<ChildProcess>();
const directories = new Set<string>();
const startPatienceMs = 180_000;
const stopPatienceMs = 30_000;

process.once('exit', () => {
  for (const child of running) {
    if (child.pid === undefined) continue;
    if (child.exitCode === null) for (const each of processTree(child.pid)) kill(each);
    killGroup(child);
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
