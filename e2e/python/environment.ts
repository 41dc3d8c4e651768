import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const lockFile = join(import.meta.dirname, 'requirements.lock');
const directory = join(root, '.venv');
const stampFile = join(directory, 'made-from');

/** The interpreter that has the clients' packages. */
export const python = join(directory, 'bin/python');

/** Whether the Python programs can run here: the environment stands, and was made from the lock file of today. */
export function pythonIsReady(): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOfLock();
}

/** Makes the environment where it is missing or older than the lock file. @throws where this machine cannot make it */
export async function makePythonEnvironment(): Promise<void> {
  if (pythonIsReady()) return;
  const run = promisify(execFile);
  await run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).catch((cause) => {
    throw new Error('there is no `python3` of version 3.10 or newer on the PATH', { cause });
  });
  rmSync(directory, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', directory]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check', '-r', lockFile]);
  writeFileSync(stampFile, stampOfLock());
}

function stampOfLock(): string {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex');
}
