import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentBytes } from './peers/process-tree.ts';

/** A server in a process of its own, started as the README says. */
export type Heddle = {
  address: string;
  key: string;
  data: string;
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

/** An environment without variables of ours: a server refuses those that it does not know, such as of the benches. */
export function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('HEDDLE_')));
}

/** Starts heddle on a fresh directory, or on one that is given. */
export async function startHeddle(data = mkdtempSync(join(tmpdir(), 'heddle-bench-'))): Promise<Heddle> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['src/cli/heddle.ts', 'serve'], {
    cwd: new URL('../..', import.meta.url),
    env: { ...withoutSettings(process.env), ...heddleSettings(data, 0) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await addressFrom(child);
  await fetch(`${address}/health`);
  const healthyAfterMs = performance.now() - startedAt;
  return {
    address,
    key,
    data,
    healthyAfterMs,
    residentBytes: () => residentBytes(child.pid!),
    stop: (signal = 'SIGTERM') =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill(signal);
      }),
    remove: () => rmSync(data, { recursive: true, force: true }),
  };
}

function addressFrom(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout!.on('data', (part) => {
      printed += part;
      const address = /http:\/\/[\w.:[\]]+\d/.exec(printed)?.[0];
      if (address) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`heddle ended with ${code} before it was ready:\n${printed}`)));
  });
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
