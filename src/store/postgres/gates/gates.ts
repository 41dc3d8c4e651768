import type { Transaction } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { GateRecord, GateStateName, VerdictName } from '../../../domain/gates/gate-record.ts';
import type { StoredPlan } from '../../../domain/gates/stored-plan.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

type Db = Pick<Postgres, 'db'>;

/** An earlier candidate of a suite. */
export type EarlierGate = { state: GateStateName; verdict: VerdictName | null; hasThreads: boolean };

/** The candidates of a suite so far, by their numbers. Nobody else can add one until the transaction ends. */
export async function lockSuite(db: Transaction<Database>, suiteId: string): Promise<EarlierGate[]> {
  await db.selectFrom('suites').select('id').where('id', '=', suiteId).forUpdate().execute();
  return earlierGates({ db }, suiteId);
}

export async function earlierGates({ db }: Db, suiteId: string): Promise<EarlierGate[]> {
  const rows = await db
    .selectFrom('gates')
    .select(['state', 'verdict'])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('gate_threads').select('position').whereRef('gate_id', '=', 'gates.id')).as('hasThreads'),
    )
    .where('suite_id', '=', suiteId)
    .orderBy('number')
    .execute();
  return rows.map(({ hasThreads, ...row }) => ({ ...row, hasThreads: Boolean(hasThreads) }));
}

type NewGate = Pick<
  GateRecord,
  'id' | 'suiteId' | 'number' | 'candidate' | 'incumbent' | 'evaluationRef' | 'plan' | 'createdBy'
>;

export async function addGate(db: Transaction<Database>, projectId: ProjectId, gate: NewGate): Promise<void> {
  await db
    .insertInto('gates')
    .values({
      id: gate.id,
      project_id: projectId,
      suite_id: gate.suiteId,
      number: gate.number,
      candidate_ref: gate.candidate.ref,
      candidate_name: gate.candidate.name,
      incumbent_ref: gate.incumbent.ref,
      incumbent_name: gate.incumbent.name,
      evaluation_ref: gate.evaluationRef,
      plan: JSON.stringify(gate.plan),
      state: 'waiting',
      created_by: gate.createdBy,
    })
    .execute();
}

export async function findGate(db: Db, projectId: ProjectId, id: string): Promise<GateRecord | null> {
  return (await selectGates(db, projectId).where('gates.id', '=', id).execute()).map(recordOf)[0] ?? null;
}

/** The newest first. */
export async function listGates(
  db: Db,
  projectId: ProjectId,
  { suite, limit, offset }: { suite: string | null; limit: number; offset: number },
): Promise<GateRecord[]> {
  let query = selectGates(db, projectId);
  if (suite !== null) query = query.where('suites.name', '=', suite);
  const rows = await query.orderBy('gates.id', 'desc').limit(limit).offset(offset).execute();
  return rows.map(recordOf);
}

export async function markStarted({ db }: Db, id: string): Promise<void> {
  await db
    .updateTable('gates')
    .set(({ fn, val }) => ({ state: 'running', started_at: fn.coalesce('started_at', val(new Date())) }))
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

export type GateEnd =
  | { state: 'decided'; verdict: VerdictName; envelope: string; publicKey: string }
  | { state: 'failed'; error: string }
  | { state: 'canceled' };

/** The first end counts. */
export async function endGate({ db }: Db, id: string, end: GateEnd, endedAt = new Date()): Promise<void> {
  const { state, ...more } = end;
  await db
    .updateTable('gates')
    .set({
      state,
      ended_at: endedAt,
      error: 'error' in more ? more.error : null,
      verdict: 'verdict' in more ? more.verdict : null,
      envelope: 'envelope' in more ? more.envelope : null,
      public_key: 'publicKey' in more ? more.publicKey : null,
    })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** The signed verdict, and the key that verifies it; null while there is none. */
export async function findEnvelope({ db }: Db, projectId: ProjectId, id: string) {
  const row = await db
    .selectFrom('gates')
    .select(['envelope', 'public_key'])
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.envelope ? { envelope: row.envelope, publicKey: row.public_key! } : null;
}

function selectGates({ db }: Db, projectId: ProjectId) {
  return db
    .selectFrom('gates')
    .innerJoin('suites', 'suites.id', 'gates.suite_id')
    .selectAll('gates')
    .select('suites.name as suite_name')
    .where('gates.project_id', '=', projectId);
}

function recordOf(row: Awaited<ReturnType<ReturnType<typeof selectGates>['execute']>>[number]): GateRecord {
  return {
    id: row.id,
    suiteId: row.suite_id,
    suiteName: row.suite_name,
    number: row.number,
    candidate: { ref: row.candidate_ref, name: row.candidate_name },
    incumbent: { ref: row.incumbent_ref, name: row.incumbent_name },
    evaluationRef: row.evaluation_ref,
    plan: parsePlain(row.plan) as StoredPlan,
    state: row.state,
    error: row.error,
    verdict: row.verdict,
    createdBy: row.created_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
