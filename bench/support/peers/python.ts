import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a virtual environment with one package where it is missing; it is kept between runs. */
export function installPackage(name: string, version: string): void {
  const directory = environmentOf(name);
  const mark = join(directory, 'READY');
  if (existsSync(mark)) return;
  process.stdout.write(`installing ${name} ${version} below ${directory}\n`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  run('python3.11', '-m', 'venv', directory);
  run(join(directory, 'bin', 'pip'), 'install', '--quiet', `${name}==${version}`);
  writeFileSync(mark, '');
}

/** A program that the package brings. */
export function packageProgram(name: string, program: string): string {
  return join(environmentOf(name), 'bin', program);
}

function environmentOf(name: string): string {
  const base = process.env.HEDDLE_BENCH_DIR ?? join(tmpdir(), 'heddle-bench');
  return join(process.env.HEDDLE_BENCH_PEERS ?? join(base, 'peers'), name);
}

function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`This could not be done: ${[command, ...args].join(' ')}`, { cause: error });
}
