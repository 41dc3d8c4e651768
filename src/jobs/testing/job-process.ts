import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { shiftClock } from '../../../testing/shifted-clock.ts';
import { openServerPeers } from '../../store/postgres/peers/server-peers.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { Database } from '../../store/postgres/schema.ts';
import { connectionOptions } from '../../store/postgres/server/connection-options.ts';
import { openStore } from '../../store/postgres/server/open.ts';
import { openPool } from '../../store/postgres/server/pool.ts';
import { parseServerUrl } from '../../store/postgres/server/server-url.ts';
import { type JobHandler, type JobKind, task } from '../job-kind.ts';
import { type Jobs, openJobs } from '../jobs.ts';

/** What a job of these tests does: it writes a row to the log every 20 ms, as long as it lasts. */
export type LoggedInput = {
  ms: number;
  /** Whether it goes on when its signal is aborted. */
  isDeaf?: boolean;
  throws?: string;
  cancelThrows?: boolean;
  /** The name of the process that has what the job needs. */
  only?: string;
  /** How long its cancellation takes before it is recorded. */
  cancelMs?: number;
};

const loggedKind: JobKind<LoggedInput> = {
  name: 'logged',
  input: z.object({
    ms: z.number(),
    isDeaf: z.boolean().optional(),
    throws: z.string().optional(),
    cancelThrows: z.boolean().optional(),
    cancelMs: z.number().optional(),
    only: z.string().optional(),
  }),
  hasKeys: false,
  runningMax: 2,
  runningPerProjectMax: 2,
  attemptsMax: 1,
  retryDelaySeconds: 0,
  retryDelayMaxSeconds: 1,
};
export const kinds = {
  logged: loggedKind,
  /** One job of a project at a time. */
  single: { ...loggedKind, name: 'single', runningMax: 3, runningPerProjectMax: 1 },
  keyed: { ...loggedKind, name: 'keyed', hasKeys: true },
};

/** What a process can be asked. */
type Question =
  | { add: string; kind: keyof typeof kinds; project?: string; key?: string; input: LoggedInput }
  | { find: string; kind: keyof typeof kinds }
  | { cancel: string; kind: keyof typeof kinds }
  | { askToCancel: string; kind: keyof typeof kinds }
  | { stop: true };

/** A process that runs jobs of a PostgreSQL server, for tests that freeze or kill it. */
export type JobProcess = {
  child: ChildProcess;
  name: string;
  ask(question: Question): Promise<unknown>;
  end(): Promise<void>;
};

type Options = { url: string; name: string; leaseMs: number; lookMs?: number; clockShiftMs?: number };

export async function startJobProcess(options: Options): Promise<JobProcess> {
  const flags = [shiftClock(options.clockShiftMs ?? 0)];
  const child = spawn(process.execPath, [...flags, import.meta.filename, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const asked = new Map<number, (answer: unknown) => void>();
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const [number, answer] = JSON.parse(line);
    if (number === 0) ready.resolve();
    else asked.get(number)!(answer);
  });
  child.once('exit', () => ready.reject(new Error('the process has ended')));
  await ready.promise;
  let last = 0;
  return {
    child,
    name: options.name,
    ask(question) {
      const number = ++last;
      const answered = new Promise<unknown>((resolve) => asked.set(number, resolve));
      child.stdin!.write(`${JSON.stringify([number, question])}\n`);
      return answered;
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Each row says which process did something to a job, in the order in which it was committed. */
export async function createLog(postgres: Postgres): Promise<void> {
  await postgres.executeSql(
    `CREATE TABLE ${postgres.schema}.job_log (number bigserial, job uuid, process text, what text, at timestamptz DEFAULT clock_timestamp())`,
  );
}

function logTo({ db }: Postgres, process: string) {
  return (job: string, what: string, transaction = db) =>
    sql`INSERT INTO ${sql.table('job_log')} (job, process, what) VALUES (${job}, ${process}, ${what})`.execute(
      transaction,
    );
}

function handlerOf(postgres: Postgres, process: string): JobHandler<LoggedInput> {
  const log = logTo(postgres, process);
  return {
    isForOthers: async ({ only }) => only !== undefined && only !== process,
    async run({ ms, isDeaf, throws }, { id, isTakenOver, signal, report, assertHeld }) {
      await log(id, 'started');
      if (isTakenOver) await log(id, 'may have been begun before');
      signal.addEventListener('abort', () => void log(id, `aborted: ${signal.reason.message}`).catch(() => {}));
      const write = () =>
        postgres.db.transaction().execute(async (transaction) => {
          await assertHeld(transaction);
          await log(id, 'wrote', transaction);
        });
      for (let at = 0; at < ms; at += 20) {
        if (!isDeaf) signal.throwIfAborted();
        await write();
        report({ done: at + 20, total: ms });
        await setTimeout(20);
      }
      if (throws !== undefined) throw new Error(throws);
      await log(id, 'done');
    },
    failed: async (_, error, { id }) => void (await log(id, `failed: ${(error as Error).message}`)),
    async canceled({ cancelThrows, cancelMs }, { id, assertHeld }) {
      if (cancelMs !== undefined) {
        await log(id, 'canceling');
        await setTimeout(cancelMs);
      }
      await postgres.db.transaction().execute(async (transaction) => {
        await assertHeld(transaction);
        await log(id, 'canceled', transaction);
      });
      if (cancelThrows) throw new Error('no');
    },
  };
}

async function answerQuestions({ url, name, leaseMs, lookMs }: Options): Promise<void> {
  const address = parseServerUrl(url);
  const direct = await connectionOptions(address);
  const pool = openPool(direct, { connectionsMax: 6, answerMsMax: 10_000 });
  const held = { change: () => Promise.reject(new Error('its tests have migrated the schema')), close: async () => {} };
  const postgres = openStore(pool, address.schema, held);
  const onError = (error: unknown, message: string) => process.stderr.write(`${name}: ${message}: ${error}\n`);
  const peers = await openServerPeers(postgres, { direct, onError: () => {} });
  const jobs = await openJobs(postgres, peers, { leaseMs, lookMs, mayStart: () => true, onError });
  await jobs.start(Object.values(kinds).map((kind) => task(kind, handlerOf(postgres, name))));

  process.stdout.write('[0]\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const [number, question] = JSON.parse(line) as [number, Question];
    void answer(jobs, postgres, question)
      .catch((error) => ({ error: error.message }))
      .then((answered) => process.stdout.write(`${JSON.stringify([number, answered ?? null])}\n`));
  }
}

async function answer(jobs: Jobs, { db }: Postgres, question: Question): Promise<unknown> {
  if ('stop' in question) return jobs.stop();
  const kind = kinds[question.kind];
  if ('find' in question) return jobs.find(kind as JobKind<unknown>, question.find);
  if ('cancel' in question) return jobs.cancel(kind as JobKind<unknown>, question.cancel);
  if ('askToCancel' in question) {
    const ask = (transaction: Transaction<Database>) =>
      jobs.askToCancel(kind as JobKind<unknown>, question.askToCancel, transaction);
    return db.transaction().execute(ask);
  }
  const { add: id, project = 'p', key, input } = question;
  return jobs.add(kind, { id, project, input, ...(key === undefined ? {} : { key }) });
}

if (process.argv[1] === import.meta.filename) await answerQuestions(JSON.parse(process.argv[2]!));
