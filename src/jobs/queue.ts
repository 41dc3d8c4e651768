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
 * pg-boss's own workers and supervision are not used. Workers poll, at most twice a second, where the one process that
 * owns the store knows when there is a job. Supervision ends a job after at most 24 hours, which training may exceed,
 * and would restart jobs after a crash only then. Here all active jobs are released at the start instead.
 */
export type Queue = {
  /** Creates or updates the queue of a kind. */
  prepare(kind: JobKind<unknown>): Promise<void>;
  /** @returns whether it was added: false if there is a job with this id. */
  add(kind: string, job: StoredJob, transaction?: Transaction<Database>): Promise<boolean>;
  /** The next job that is due, now active, or null. */
  fetch(kind: string, ignoredProjects: string[]): Promise<FetchedJob | null>;
  /** When the next job after a time is due. */
  nextDueAt(kind: string, after: Date): Promise<Date | null>;
  /** Ends an active job. */
  settle(kind: string, id: string, end: JobEnd): Promise<void>;
  /** Makes an active job wait for its next attempt. */
  retry(kind: string, id: string, history: JobHistory): Promise<void>;
  /** Makes an active job due at a given time, by default at once. */
  release(kind: string, id: string, history: JobHistory, dueAt?: Date): Promise<void>;
  /** Ends a waiting or active job as canceled. */
  cancel(kind: string, id: string): Promise<void>;
  find(kind: string, id: string): Promise<FoundJob | null>;
  /** The jobs that were running when the process was killed. */
  listActive(kind: string): Promise<{ id: string; history: JobHistory }[]>;
  /** How many jobs of each kind wait or are active. */
  count(): Promise<{ kind: string; state: 'waiting' | 'active'; count: number }[]>;
  deleteEnded(before: Date): Promise<void>;
  close(): Promise<void>;
};

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

export async function openQueue(postgres: Postgres, onError: (error: unknown) => void): Promise<Queue> {
  const { schema } = postgres.jobs;
  const boss = new PgBoss({ db: postgres, ...postgres.jobs, supervise: false, schedule: false });
  boss.on('error', onError);
  await boss.start();
  const select = async <Row>(sql: string, values: unknown[]) => (await postgres.executeSql(sql, values)).rows as Row[];
  const find = async (kind: string, id: string) => (validate(id) ? (await boss.findJobs(kind, { id }))[0] : undefined);

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
        ...(transaction === undefined ? {} : { db: fromKysely(transaction) }),
      };
      return (await boss.send(kind, input, options)) !== null;
    },
    async fetch(kind, ignoredProjects) {
      const [job] = await boss.fetch(kind, { includeMetadata: true, ignoreGroups: ignoredProjects });
      return job === undefined ? null : describe(job as JobWithMetadata);
    },
    async nextDueAt(kind, after) {
      const sql = `SELECT min(start_after) AS due FROM ${schema}.job WHERE name = $1 AND state < 'active' AND start_after > $2`;
      return (await select<{ due: Date | null }>(sql, [kind, after]))[0]!.due;
    },
    async settle(kind, id, end) {
      // pg-boss's own state `failed` would hold up the later jobs with the same key.
      await boss.complete(kind, id, storable(end));
    },
    async retry(kind, id, history) {
      await boss.fail(kind, id, storable(history));
    },
    async release(kind, id, history, dueAt = new Date()) {
      await boss.fail(kind, id, storable(history));
      await boss.update({ name: kind, options: { id, startAfter: dueAt } });
    },
    async cancel(kind, id) {
      await boss.cancel(kind, id);
    },
    async find(kind, id) {
      const job = await find(kind, id);
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
