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
    /** Stores an insert on one replica alone, and answers that its quorum is not known. */
    | 'quorum'
    /** Ends the answer with an exception, as a server does whose statement fails in the middle. */
    | 'exception';
  code?: number;
  ms?: number;
};

/** Since the start. `inserts` has the time of each, by table; `settings` how often some were sent, such as `insert_quorum=0`. */
export type Counts = {
  sockets: number;
  statements: number;
  inserts: Record<string, number[]>;
  settings: Record<string, number>;
};

/** What happens to a replica. */
export type ReplicaState = {
  /** Closes all connections, and those that are opened. */
  isDead: boolean;
  /** Does not answer. What it was asked meanwhile, it does later. */
  isSilent: boolean;
  /** Has lost its coordination service. */
  isReadOnly: boolean;
  /** Gets rows of others only when it must: for a quorum, or by SYSTEM SYNC REPLICA. */
  lags: boolean;
  /** How long changes of the schema show as running. */
  changesTakeMs: number;
  /** Of the servers behind the address: more than one for a balancer. */
  names: string[];
};

export type FrontKind =
  | { kind: 'single' | 'cloud' }
  /** Databases are of the engine Atomic, or all of the engine Replicated. The cluster is called `main`. */
  | { kind: 'cluster' | 'replicated database'; replicas: number; shards?: number };

export type Front = {
  /** The address of a database, as in HEDDLE_CLICKHOUSE_URL, with all replicas. */
  url(database: string, password?: string): string;
  /** Of each replica, such as `http://127.0.0.1:8123`. */
  origins: string[];
  /** Changes the state of replicas; those that are not named stay as they are. */
  set(...states: Partial<ReplicaState>[]): Promise<void>;
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
export async function startFront(directory: string, kind: FrontKind = { kind: 'single' }): Promise<Front> {
  let ports: number[] = [];
  let child: ReturnType<typeof spawnFront> | null = null;
  const spawnFront = () =>
    spawn(process.execPath, [program, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...variablesOf(kind), FRONT_PORTS: ports.join(' ') },
    });
  async function start(): Promise<void> {
    child = spawnFront();
    const [line] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => [''])]);
    if (String(line) === '') throw new Error('The front ended before it was ready.');
    ports = String(line).trim().split(' ').map(Number);
  }
  await start();
  const hosts = ports.slice(0, -1).map((port) => `127.0.0.1:${port}`);
  const tell = (what: string, body?: unknown) =>
    fetch(`http://127.0.0.1:${ports.at(-1)}/double/${what}`, { method: 'POST', body: JSON.stringify(body) });
  return {
    url: (database, password = 'secret word') =>
      `http://heddle:${encodeURIComponent(password)}@${hosts.join(',')}/${database}${kind.kind === 'cluster' ? '?cluster=main' : ''}`,
    origins: hosts.map((host) => `http://${host}`),
    async set(...states) {
      await tell('replicas', states);
    },
    async fail(...faults) {
      await tell('faults', faults);
    },
    counts: async () => (await tell('counts')).json() as Promise<Counts>,
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

function variablesOf(kind: FrontKind): Record<string, string> {
  if (!('replicas' in kind)) return { FRONT_KIND: kind.kind };
  const { replicas, shards = 1 } = kind;
  return { FRONT_KIND: kind.kind, FRONT_REPLICAS: String(replicas), FRONT_SHARDS: String(shards) };
}
