import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A virtual environment in the root of the repository, with exactly the packages that a lock file names. */
export type PythonEnvironment = {
  /** The interpreter that has the packages. */
  python: string;
  /** Whether programs can run here: the environment stands, and was made from the lock file of today. */
  isReady(): boolean;
  /** Makes the environment where it is missing or older than the lock file. @throws where this machine cannot make it */
  make(): Promise<void>;
};

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const quiet = ['--quiet', '--disable-pip-version-check'];

export function pythonEnvironment(name: string, lockFile: string): PythonEnvironment {
  const directory = join(root, name);
  const stampFile = join(directory, 'made-from');
  const python = join(directory, 'bin/python');
  const stampOfLock = () => createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  const isReady = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOfLock();
  return {
    python,
    isReady,
    async make() {
      if (isReady()) return;
      await run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).catch((cause) => {
        throw new Error('there is no `python3` of version 3.11 or newer on the PATH', { cause });
      });
      rmSync(directory, { recursive: true, force: true });
      await makeWithUv(directory, lockFile).catch(() => makeWithPip(directory, lockFile));
      writeFileSync(stampFile, stampOfLock());
    },
  };
}

let uv: Promise<string> | undefined;

/** Takes a tenth of the time that pip takes. */
async function makeWithUv(directory: string, lockFile: string): Promise<void> {
  uv ??= openUv();
  const program = await uv;
  await run(program, ['venv', '--quiet', '--seed', '--no-project', '--python', 'python3', directory]);
  const python = join(directory, 'bin/python');
  await run(program, ['pip', 'install', '--quiet', '--no-deps', '--python', python, '-r', lockFile]);
}

/** For machines that cannot install with uv, such as those whose package index is configured for pip alone. */
async function makeWithPip(directory: string, lockFile: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', directory]);
  await run(join(directory, 'bin/python'), ['-m', 'pip', 'install', ...quiet, '--no-deps', '-r', lockFile]);
}

/** The program uv, in an environment of its own. @throws where this machine cannot install it */
async function openUv(): Promise<string> {
  const directory = join(root, 'node_modules/.cache/uv-0.13.9');
  const program = join(directory, 'bin/uv');
  if (existsSync(program)) return program;
  await run('python3', ['-m', 'venv', directory]);
  await run(join(directory, 'bin/python'), ['-m', 'pip', 'install', ...quiet, 'uv==0.13.9']);
  return program;
}
