import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the front does with the next statements that contain these words. */
export type Fault = {
  statement: string;
  times: number;
  kind:
    | 'slow'
    /** Answers with a code of ClickHouse, before the statement runs. */
    | 'error'
    /** Closes the connection before the statement runs. */
    | 'refuse'
    /** Closes it after the statement ran, without an answer. */
    | 'unanswered'
    /** Closes it in the middle of the answer. */
    | 'cut'
    /** Ends the answer with an exception, as a server does whose statement fails in the middle. */
    | 'exception';
  code?: number;
  ms?: number;
};

/** Since the start. `inserts` has the time of each, by table. */
export type Counts = { sockets: number; statements: number; inserts: Record<string, number[]> };

export type Front = {
  /** The address of a database, as in HEDDLE_CLICKHOUSE_URL. */
  url(database: string, password?: string): string;
  fail(...faults: Fault[]): Promise<void>;
  counts(): Promise<Counts>;
  /** Freezes the process, and lets it go on. */
  pause(): void;
  goOn(): void;
  /** Ends the process as a crash does. `start` runs it again, on the same port and directory. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

const program = fileURLToPath(new URL('./front.ts', import.meta.url));

/** Starts the front on a directory, which the caller removes. */
export async function startFront(directory: string): Promise<Front> {
  let port = 0;
  let child: ReturnType<typeof spawnFront> | null = null;
  const spawnFront = () =>
    spawn(process.execPath, [program, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, FRONT_PORT: String(port) },
    });
  async function start(): Promise<void> {
    child = spawnFront();
    const [line] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => [''])]);
    if (String(line) === '') throw new Error('The front ended before it was ready.');
    port = Number(String(line));
  }
  await start();
  return {
    url: (database, password = 'secret word') =>
      `http://heddle:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    async fail(...faults) {
      await fetch(`http://127.0.0.1:${port}/double/faults`, { method: 'POST', body: JSON.stringify(faults) });
    },
    counts: async () => (await fetch(`http://127.0.0.1:${port}/double/counts`)).json() as Promise<Counts>,
    pause: () => void child!.kill('SIGSTOP'),
    goOn: () => void child!.kill('SIGCONT'),
    async kill() {
      if (child!.exitCode !== null || child!.signalCode !== null) return;
      child!.kill('SIGKILL');
      await once(child!, 'exit');
    },
    start,
  };
}
