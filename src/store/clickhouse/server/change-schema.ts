import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ClickHouseSettings } from '@clickhouse/client';
import type { Layout } from '../layout.ts';
import { parseLines } from '../rows/parse-lines.ts';
import { StoreError } from '../store-error.ts';
import type { Statements } from './statements.ts';

/** How long the server waits for other replicas before it answers that they are not done. */
const waitSeconds = 20;
const timeoutExceeded = 159;

const settingsOfAll: ClickHouseSettings = {
  /** Indexes of existing rows are made in the background. */
  mutations_sync: '0',
  /** The server that runs the statement has applied it when it answers; the other replicas follow. */
  alter_sync: '1',
  distributed_ddl_task_timeout: String(waitSeconds),
};

/** Runs a statement that changes the schema. On a cluster, it is done when each replica that runs is. */
export async function changeSchema(statements: Statements, sql: string, layout: Layout): Promise<void> {
  if (layout.kind !== 'replicas') return statements.command(sql, { settings: settingsOfAll });
  if (layout.cluster === null) {
    // The others run it later, in order; a replica that is behind is not used (`replicas/prepare.ts`).
    const settings = { ...settingsOfAll, distributed_ddl_output_mode: 'null_status_on_timeout' as const };
    return statements.command(sql, { settings });
  }
  const tag = `heddle-${randomUUID()}`;
  try {
    await statements.command(sql, { settings: { ...settingsOfAll, log_comment: tag } });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== timeoutExceeded || !sql.includes(' ON CLUSTER ')) throw error;
    await waitForReplicas(statements, { cluster: layout.cluster, tag, error });
  }
}

type Waiting = { cluster: string; tag: string; error: StoreError };

const pollMs = 1_000;
const waitMsMax = 10 * 60_000;

/**
 * The statement is in a queue that each replica works off in order. Those that have not even begun by now are down, unless they
 * are busy with an earlier one: they run it when they are back, and are not used before.
 */
async function waitForReplicas(statements: Statements, { cluster, tag, error }: Waiting): Promise<void> {
  const until = performance.now() + waitMsMax;
  while (performance.now() < until) {
    const { failed, finished, running } = await readQueue(statements, cluster, tag);
    if (failed > 0) throw new StoreError('a change of the schema', failed, 'the replica reports its error');
    if (finished > 0 && running === 0) return;
    await setTimeout(pollMs);
  }
  throw error;
}

type Queue = { failed: number; finished: number; running: number };

async function readQueue(statements: Statements, cluster: string, tag: string): Promise<Queue> {
  const answer = await statements.read(
    `SELECT maxIf(toInt32(exception_code), isOurs) AS failed, countIf(isOurs AND status = 'Finished') AS finished,
       countIf(status = 'Active') AS running
     FROM (SELECT status, exception_code, settings['log_comment'] = '${tag}' AS isOurs
       FROM system.distributed_ddl_queue WHERE cluster = '${cluster}')`,
    'JSONEachRow',
  );
  const [queue] = await parseLines<Queue>(answer);
  return queue!;
}
