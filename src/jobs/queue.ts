import type { Transaction } from 'kysely';
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import { validate } from 'uuid';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { Database } from '../store/postgres/schema.ts';
import { storableText } from '../store/postgres/storable.ts';
import type { JobKind } from './job-kind.ts';

/**
 * The stored jobs, in pg-boss. It keeps jobs, their order, their delays and their states; `runner.ts` runs them.
 *
 * pg-boss's own workers and supervision are not used. Workers poll, at most twice a second and once per kind, where the
 * processes tell each other when there is a job. Supervision ends a job after at most 24 hours, which training may exceed,
 * and would restart jobs after a crash only then. `leases/` notices sooner that a process has ended.
 */
export type Queue = {
  /** Creates or updates the queue of a kind. */
  prepare(kind: JobKind<unknown>): Promise<void>;
  /** @returns whether it was added: false if there is a job with this id. */
  add(kind: string, job: StoredJob, transaction?: InTransaction): Promise<boolean>;
  /** The next job that is due, now active, or null. */
  fetch(kind: string, ignoredProjects: string[], transaction?: InTransaction): Promise<FoundJob | null>;
  /** In how many milliseconds the next job is due, among those that are not due yet or became so in the last `withinMs`. */
  nextDueInMs(kind: string, withinMs: number): Promise<number | null>;
  /** Ends an active job. */
  settle(kind: string, id: string, end: JobEnd, transaction?: InTransaction): Promise<void>;
  /** Makes an active job wait for its next attempt. */
  retry(kind: string, id: string, history: JobHistory, transaction?: InTransaction): Promise<void>;
  /** Makes an active job due after a delay. */
  release(kind: string, id: string, released: Released, transaction?: InTransaction): Promise<void>;
  /** Ends a waiting or active job as canceled. */
  cancel(kind: string, id: string, transaction?: InTransaction): Promise<void>;
  find(kind: string, id: string, transaction?: InTransaction): Promise<FoundJob | null>;
  /** The jobs that a process was running when it was killed, if no other process runs jobs. */
  listActive(kind: string): Promise<Pick<FetchedJob, 'id' | 'history'>[]>;
  /** How many jobs of each kind wait or are active. */
  count(): Promise<{ kind: string; state: 'waiting' | 'active'; count: number }[]>;
  deleteEnded(before: Date): Promise<void>;
  close(): Promise<void>;
};

type InTransaction = Transaction<Database>;

type Released = { history: JobHistory; delayMs: number };

type StoredJob = { id: string; project: string; key?: string; input: object };

/** The history of a job, stored in pg-boss's `output`. */
type JobHistory = {
  failures: number;
  /** Crashes of the process while the job was running. */
  interruptions: number;
  /** The message of the last failure. */
  error?: string;
  /** Whether the last failure was final, and only `failed` is still to be called. */
  isFinal?: boolean;
  /** How often `failed` has thrown. */
  unrecorded?: number;
};

export type FetchedJob = { id: string; project: string; input: unknown; history: JobHistory };

type JobEnd = { state: 'done' } | { state: 'failed'; error: string };

export type FoundJob = FetchedJob & { state: 'waiting' | 'active' | 'canceled' | JobEnd['state'] };

export function hasEnded({ state }: FoundJob): boolean {
  return state !== 'waiting' && state !== 'active';
}

export async function openQueue(postgres: Postgres, onError: (error: unknown) => void): Promise<Queue> {
  const { schema } = postgres.jobs;
  const boss = new PgBoss({ db: postgres, ...postgres.jobs, supervise: false, schedule: false });
  boss.on('error', onError);
  await boss.start();
  const select = async <Row>(sql: string, values: unknown[]) => (await postgres.executeSql(sql, values)).rows as Row[];
  const inside = (transaction?: InTransaction) => (transaction === undefined ? {} : { db: fromKysely(transaction) });

  return {
    async prepare(kind) {
      const settings = queueSettings(kind);
      const [existing] = await boss.getQueues([kind.name]);
      if (existing === undefined) {
        await boss.createQueue(kind.name, { ...settings, policy: kind.hasKeys ? 'key_strict_fifo' : 'standard' });
      } else if (
        !Object.entries(settings).every(([name, value]) => existing[name as keyof typeof settings] === value)
      ) {
        await boss.updateQueue(kind.name, settings);
      }
    },
    async add(kind, { id, project, key, input }, transaction) {
      const options = {
        id,
        group: { id: project },
        ...(key === undefined ? {} : { singletonKey: key }),
        ...inside(transaction),
      };
      return (await boss.send(kind, input, options)) !== null;
    },
    async fetch(kind, ignoreGroups, transaction) {
      const [job] = await boss.fetch(kind, { includeMetadata: true, ignoreGroups, ...inside(transaction) });
      return job === undefined ? null : describe(job as JobWithMetadata);
    },
    async nextDueInMs(kind, withinMs) {
      const sql = `SELECT extract(epoch FROM min(start_after) - clock_timestamp())::float8 * 1000 AS due
        FROM ${schema}.job WHERE name = $1 AND state < 'active'
          AND start_after > clock_timestamp() - $2 * interval '1 millisecond'`;
      return (await select<{ due: number | null }>(sql, [kind, withinMs]))[0]!.due;
    },
    async settle(kind, id, end, transaction) {
      // pg-boss's own state `failed` would hold up the later jobs with the same key.
      await boss.complete(kind, id, storable(end), inside(transaction));
    },
    async retry(kind, id, history, transaction) {
      await boss.fail(kind, id, storable(history), inside(transaction));
    },
    async release(kind, id, { history, delayMs }, transaction) {
      await boss.fail(kind, id, storable(history), inside(transaction));
      const { executeSql } = transaction === undefined ? postgres : fromKysely(transaction);
      const due = "start_after = clock_timestamp() + $3 * interval '1 millisecond'";
      await executeSql(`UPDATE ${schema}.job SET ${due} WHERE name = $1 AND id = $2`, [kind, id, delayMs]);
    },
    async cancel(kind, id, transaction) {
      await boss.cancel(kind, id, inside(transaction));
    },
    async find(kind, id, transaction) {
      if (!validate(id)) return null;
      const [job] = await boss.findJobs(kind, { id, ...inside(transaction) });
      return job === undefined ? null : describe(job as JobWithMetadata);
    },
    async listActive(kind) {
      const sql = `SELECT id, output FROM ${schema}.job WHERE name = $1 AND state = 'active'`;
      const rows = await select<Pick<JobWithMetadata, 'id' | 'output'>>(sql, [kind]);
      return rows.map((row) => ({ id: row.id, history: historyOf(row) }));
    },
    async count() {
      const state = "CASE WHEN state = 'active' THEN 'active' ELSE 'waiting' END";
      return select(
        `SELECT name AS kind, ${state} AS state, count(*)::int AS count FROM ${schema}.job WHERE state <= 'active' GROUP BY 1, 2`,
        [],
      );
    },
    async deleteEnded(before) {
      await select(`DELETE FROM ${schema}.job WHERE state > 'active' AND completed_on < $1`, [before]);
    },
    async close() {
      await boss.stop({ graceful: false, close: false });
    },
  };
}

/** A job that keeps ending its process is delayed from here on, so that the server can be used in between. */
const interruptionsAtOnce = 3;
export const interruptionDelayMaxMs = 300_000;

/** Makes a job wait whose process ended while it ran. */
export async function releaseInterrupted(
  queue: Pick<Queue, 'release'>,
  kind: string,
  { id, history }: Pick<FetchedJob, 'id' | 'history'>,
  transaction?: InTransaction,
): Promise<void> {
  const interruptions = history.interruptions + 1;
  const repeated = interruptions - interruptionsAtOnce;
  const delayMs = repeated <= 0 ? 0 : Math.min(5000 * 2 ** (repeated - 1), interruptionDelayMaxMs);
  await queue.release(kind, id, { history: { ...history, interruptions }, delayMs }, transaction);
}

/** Messages of errors may quote anything. */
function storable<Stored extends JobEnd | JobHistory>(stored: Stored): Stored {
  return 'error' in stored && stored.error !== undefined ? { ...stored, error: storableText(stored.error) } : stored;
}

/** The runner decides how often a job is retried; pg-boss never gives up a job. */
function queueSettings(kind: JobKind<unknown>) {
  return {
    retryLimit: 2 ** 31 - 1,
    retryDelay: kind.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: kind.retryDelayMaxSeconds,
  };
}

function historyOf({ output }: Pick<JobWithMetadata, 'output'>): JobHistory {
  return { failures: 0, interruptions: 0, ...(output as Partial<JobHistory> | null) };
}

function describe(job: JobWithMetadata): FoundJob {
  const { id, data: input } = job;
  const common = { id, project: job.groupId!, input };
  if (job.state === 'completed') {
    const end = job.output as JobEnd;
    const error = end.state === 'failed' ? { error: end.error } : {};
    return { ...common, state: end.state, history: { failures: 0, interruptions: 0, ...error } };
  }
  const state = job.state === 'active' ? 'active' : job.state === 'cancelled' ? 'canceled' : 'waiting';
  return { ...common, state, history: historyOf(job) };
}
