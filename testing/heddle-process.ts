import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { modelServers } from './test-models.ts';
import { serversOf } from './test-stores.ts';

/** A server in a process of its own, started as `npm start` does; tests and benches share it. */
export type HeddleProcess = {
  address: string;
  child: ChildProcess;
  /** Everything it has written to its two streams so far. */
  output: { out: string; err: string };
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

type Options = {
  /** By default the server listens on a free port, and stops without a delay. */
  settings: Record<string, string>;
  /** The other variables; by default those of this process. */
  environment?: NodeJS.ProcessEnv;
  /** What runs heddle; by default the sources of this clone. */
  command?: string[];
  /** A module that the server loads first; it may talk with this process by messages. */
  probe?: URL;
  /** Whether what the server writes to standard error also appears here. */
  showsErrors?: boolean;
};

const entry = join(import.meta.dirname, '../src/cli/entry.mjs');

/** Runs `heddle` from the sources; its words follow. */
export const heddleCommand: string[] = [process.execPath, entry];

/** The same for tests, without compiling PostgreSQL's WebAssembly again for speed that they do not need. */
export const testCommand: string[] = [process.execPath, '--liftoff-only', entry];

/** Waits until the server says that it is ready. @throws with what it printed where it ends before */
export async function startHeddleProcess(options: Options): Promise<HeddleProcess> {
  const spawned = spawnHeddle(options);
  return { address: await addressOf(spawned), ...spawned };
}

/** The same without waiting. */
export function spawnHeddle(options: Options): Omit<HeddleProcess, 'address'> {
  const { settings, environment = process.env, command = heddleCommand, probe, showsErrors = false } = options;
  const [program, ...words] = probe ? [process.execPath, '--import', probe.href, entry] : command;
  const data = settings.HEDDLE_DATA ?? '';
  const defaults = { HEDDLE_PORT: '0', HEDDLE_DRAIN_DELAY_SECONDS: '0', ...serversOf(data), ...modelServers(data) };
  const child = spawn(program!, [...words, 'serve'], {
    env: { ...withoutSettings(environment), ...defaults, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', ...(probe ? (['ipc'] as const) : [])],
  });
  const output = { out: '', err: '' };
  child.stdout!.setEncoding('utf8').on('data', (text) => (output.out += text));
  child.stderr!.setEncoding('utf8').on('data', (text) => (output.err += text));
  if (showsErrors) child.stderr!.pipe(process.stderr, { end: false });
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return { child, output, exited };
}

/** An environment without variables of heddle: a server rejects those that it does not know, such as of the benches. */
export function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('HEDDLE_')));
}

function addressOf({ child, exited, output }: Omit<HeddleProcess, 'address'>): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout!.on('data', () => {
      const ready = /ready at (http\S+)/.exec(output.out);
      if (ready) resolve(ready[1]!);
    });
    exited.then(({ code, signal }) => {
      reject(new Error(`heddle ended with ${code ?? signal} before it was ready:\n${output.out}${output.err}`));
    });
  });
}
