import { sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { SweepPlan } from '../../../domain/sweeps/sweep-plan.ts';
import type { SweepState } from '../../../domain/sweeps/sweep-state.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';

/** A search over the parameters of runs. */
export type Sweep = {
  id: string;
  projectId: ProjectId;
  displayName: string | null;
  description: string | null;
  state: SweepState;
  /** YAML, as it was sent. */
  config: string;
  plan: SweepPlan;
  seed: string;
  /** The number of runs given to agents so far. */
  nextIndex: number;
  /** Null without a limit. */
  runsMax: number | null;
  createdAt: Date;
  updatedAt: Date;
};

type Database = Pick<Postgres, 'db'>;
export type SweepSettings = Pick<Sweep, 'displayName' | 'description' | 'state' | 'config' | 'plan'>;
/** What is left out stays as it is. */
export type SweepChanges = Partial<SweepSettings>;

export async function addSweep(
  { db }: Database,
  { id, projectId, seed, displayName, plan, ...same }: SweepSettings & Pick<Sweep, 'id' | 'projectId' | 'seed'>,
): Promise<void> {
  await db
    .insertInto('sweeps')
    .values({ ...same, id, project_id: projectId, seed, display_name: displayName, ...planColumns(plan) })
    .execute();
}

/** @returns false if the sweep is gone or, for a new config, has given out a run */
export async function changeSweep(
  { db }: Database,
  id: string,
  { displayName, plan, ...same }: SweepChanges,
): Promise<boolean> {
  let query = db
    .updateTable('sweeps')
    .set({
      ...same,
      ...(displayName === undefined ? {} : { display_name: displayName }),
      ...(plan === undefined ? {} : planColumns(plan)),
      updated_at: sql`now()`,
    })
    .where('id', '=', id);
  if (same.config !== undefined) query = query.where('next_index', '=', 0);
  return (await query.returning('id').execute()).length > 0;
}

/**
 * Takes the next number of a sweep that is open; the last one finishes the sweep. This is one statement, so two agents never
 * take the same number.
 * @returns null if the sweep gives out no runs now
 */
export async function takeIndex({ db }: Database, id: string): Promise<{ index: number; sweep: Sweep } | null> {
  const sweep = await db
    .updateTable('sweeps')
    .set({
      next_index: sql`next_index + 1`,
      state: sql`CASE WHEN next_index + 1 >= runs_max THEN 'FINISHED' ELSE 'RUNNING' END`,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('state', 'in', ['PENDING', 'RUNNING'])
    .where((where) => where.or([where('runs_max', 'is', null), where('next_index', '<', where.ref('runs_max'))]))
    .returning(columns)
    .executeTakeFirst();
  return sweep ? { index: sweep.nextIndex - 1, sweep: fromRow(sweep) } : null;
}

export async function findSweep({ db }: Database, id: string): Promise<Sweep | null> {
  const row = await db.selectFrom('sweeps').select(columns).where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** The newest first. */
export async function listSweeps({ db }: Database, projectId: ProjectId): Promise<Sweep[]> {
  const rows = await db
    .selectFrom('sweeps')
    .select(columns)
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

const columns = [
  'id',
  'project_id as projectId',
  'display_name as displayName',
  'description',
  'state',
  'config',
  'plan',
  'seed',
  'next_index as nextIndex',
  'runs_max as runsMax',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

type Row = Omit<Sweep, 'projectId' | 'plan'> & { projectId: string; plan: string };

function fromRow({ projectId, plan, ...same }: Row): Sweep {
  return { ...same, projectId: projectId as ProjectId, plan: parsePlain(plan) as SweepPlan }; // written by `planColumns`
}

function planColumns(plan: SweepPlan) {
  return { plan: JSON.stringify(plan), runs_max: plan.runsMax };
}
