import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heddleCommand, startHeddleProcess, withoutSettings } from '../../testing/heddle-process.ts';
import { residentBytes } from './peers/process-tree.ts';

/** A server in a process of its own, started as the README says. */
export type Heddle = {
  address: string;
  key: string;
  data: string;
  pid: number;
  /** From the start of the process to the first answer of `/health`. */
  healthyAfterMs: number;
  /** Memory of its processes, as the system counts it. */
  residentBytes(): number;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Removes the data directory. */
  remove(): void;
};

export const benchProject = 'bench/bench';
const key = 'bench'.padEnd(48, '0');

/** How a server of a bench is set up, as environment variables. */
export function heddleSettings(data: string, port: number) {
  return {
    HEDDLE_PORT: String(port),
    HEDDLE_DATA: data,
    HEDDLE_OWNER: 'bench',
    HEDDLE_API_KEY: key,
    HEDDLE_LOG_LEVEL: 'warn',
  };
}

/** Starts heddle on a fresh directory, or on one that is given. */
export async function startHeddle(
  data = mkdtempSync(join(tmpdir(), 'heddle-bench-')),
  more: Record<string, string> = {},
): Promise<Heddle> {
  const startedAt = performance.now();
  const settings = { ...heddleSettings(data, 0), ...more };
  const { address, child, exited } = await startHeddleProcess({ settings, showsErrors: true });
  await fetch(`${address}/health`);
  const healthyAfterMs = performance.now() - startedAt;
  return {
    address,
    key,
    data,
    pid: child.pid!,
    healthyAfterMs,
    residentBytes: () => residentBytes(child.pid!),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
    remove: () => rmSync(data, { recursive: true, force: true }),
  };
}

/** Adds a model to a data directory that no server uses. */
export async function pullModel(data: string, path: string, name: string): Promise<void> {
  const server = await startHeddle(data); // makes the stores
  const env = { ...withoutSettings(process.env), ...heddleSettings(data, 0) };
  const [program, ...words] = [...heddleCommand, 'pull', path, '--name', name];
  const { status } = spawnSync(program!, words, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  await server.stop();
  if (status !== 0) throw new Error('The model could not be pulled.');
}

/** How many calls the project of the bench shows. */
export async function countCalls({ address, key }: Pick<Heddle, 'address' | 'key'>): Promise<number> {
  const response = await fetch(`${address}/calls/query_stats`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ project_id: benchProject }),
  });
  return ((await response.json()) as { count: number }).count;
}
