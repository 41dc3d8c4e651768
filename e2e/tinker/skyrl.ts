import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../src/util/testing/free-ports.ts';

const script = join(import.meta.dirname, 'skyrl.sh');
const home = process.env.SKYRL_FOLDER || join(import.meta.dirname, '../../.venv-skyrl');

/** The folder of `heddle/tiny`, which SkyRL knows under this name. */
export const tinyFolder = join(import.meta.dirname, '../../assets/tiny-model');

export type SkyRl = { url: string; close(): Promise<void> };

/** Why SkyRL cannot be started here; null if it can. `SKYRL_URL` names one that runs already. */
export function skyRlMissing(): string | null {
  if (process.env.SKYRL_URL || existsSync(join(home, 'venv/ready'))) return null;
  return `SkyRL is not installed in ${home}: run e2e/tinker/skyrl.sh install, which needs Python 3.12 and 5 GB`;
}

const startMsMax = 150_000;

/** Starts SkyRL over `heddle/tiny` on a free port. */
export async function startSkyRl(): Promise<SkyRl> {
  if (process.env.SKYRL_URL) return { url: process.env.SKYRL_URL, close: async () => {} };
  const work = mkdtempSync(join(tmpdir(), 'heddle-skyrl-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(script, ['serve', tinyFolder, String(port), work], { detached: true, stdio: 'ignore' });
  const close = async () => {
    await end(child);
    rmSync(work, { recursive: true, force: true });
  };
  for (const startedAt = performance.now(); performance.now() - startedAt < startMsMax; await sleep(500)) {
    const answer = await fetch(`${url}/api/v1/healthz`).catch(() => null);
    if (answer?.ok) return { url, close };
    if (child.exitCode !== null) break;
  }
  await close();
  throw new Error('SkyRL did not start');
}

/** The engine is a child of the server: all of them are one process group. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGTERM');
  await Promise.race([exited, sleep(10_000)]);
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {} // all of them have ended
}
