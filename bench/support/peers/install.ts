import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Installs a system into a directory of its own where it is missing there; it is kept between runs. */
export function installOnce(name: string, version: string, install: (directory: string) => void): void {
  const directory = directoryOf(name);
  const mark = join(directory, 'READY');
  if (existsSync(mark)) return;
  process.stdout.write(`installing ${name} ${version} below ${directory}\n`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  install(directory);
  writeFileSync(mark, '');
}

export function directoryOf(name: string): string {
  const base = process.env.HEDDLE_BENCH_DIR ?? join(tmpdir(), 'heddle-bench');
  return join(process.env.HEDDLE_BENCH_PEERS ?? join(base, 'peers'), name);
}

export function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`This could not be done: ${[command, ...args].join(' ')}`, { cause: error });
}
