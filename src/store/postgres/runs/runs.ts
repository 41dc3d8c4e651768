import { sql } from 'kysely';
import { newId, type ProjectId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';

/** A run, as the wandb clients record it. */
export type Run = {
  id: string;
  projectId: ProjectId;
  /** The clients' name for its id. */
  name: string;
  displayName: string;
  /** As it was reported: `running`, `finished`, `failed`, … */
  state: string;
  /** A JSON object. */
  config: string;
  /** A JSON object. */
  summary: string;
  tags: string[];
  notes: string | null;
  description: string | null;
  group: string | null;
  jobType: string | null;
  host: string | null;
  program: string | null;
  repository: string | null;
  commit: string | null;
  sweepId: string | null;
  createdBy: string;
  createdAt: Date;
  heartbeatAt: Date;
  historyLines: number;
  eventLines: number;
  logLines: number;
};

/** What a client may set; what is left out stays as it is. */
export type RunChanges = Partial<
  Pick<
    Run,
    | 'displayName'
    | 'state'
    | 'config'
    | 'summary'
    | 'tags'
    | 'notes'
    | 'description'
    | 'group'
    | 'jobType'
    | 'host'
    | 'program'
    | 'repository'
    | 'commit'
    | 'sweepId'
  >
>;

type Database = Pick<Postgres, 'db'>;

/** Adds a run, unless its project has one of the name. @returns whether it was added */
export async function addRun(
  { db }: Database,
  { projectId, name, createdBy }: Pick<Run, 'projectId' | 'name' | 'createdBy'>,
): Promise<boolean> {
  const rows = await db
    .insertInto('runs')
    .values({ id: newId(), project_id: projectId, name, display_name: name, created_by: createdBy })
    .onConflict((on) => on.columns(['project_id', 'name']).doNothing())
    .returning('id')
    .execute();
  return rows.length > 0;
}

export async function changeRun({ db }: Database, id: string, changes: RunChanges): Promise<void> {
  const { displayName, group, jobType, commit, sweepId, ...same } = changes;
  await db
    .updateTable('runs')
    .set({
      ...same,
      ...(displayName === undefined ? {} : { display_name: displayName }),
      ...(group === undefined ? {} : { group_name: group }),
      ...(jobType === undefined ? {} : { job_type: jobType }),
      ...(commit === undefined ? {} : { commit_hash: commit }),
      ...(sweepId === undefined ? {} : { sweep_id: sweepId }),
      heartbeat_at: sql`now()`,
    })
    .where('id', '=', id)
    .execute();
}

export async function findRun(
  { db }: Database,
  where: { id: string } | { projectId: ProjectId; name: string },
): Promise<Run | null> {
  const query =
    'id' in where
      ? selectRuns({ db }).where('id', '=', where.id)
      : selectRuns({ db }).where('project_id', '=', where.projectId).where('name', '=', where.name);
  return (await query.executeTakeFirst()) ?? null;
}

/** The newest runs of a project, of a sweep, or of all, or those of some ids. `afterId` is the last one already seen. */
export async function listRuns(
  { db }: Database,
  page: {
    projectId: ProjectId | null;
    sweepId?: string | null;
    ids?: string[];
    afterId: string | null;
    limit: number;
    isAscending?: boolean;
  },
): Promise<Run[]> {
  if (page.ids?.length === 0) return [];
  let query = selectRuns({ db });
  if (page.ids !== undefined) query = query.where('id', 'in', page.ids);
  if (page.projectId !== null) query = query.where('project_id', '=', page.projectId);
  if (page.sweepId) query = query.where('sweep_id', '=', page.sweepId);
  if (page.afterId !== null) query = query.where('id', page.isAscending ? '>' : '<', page.afterId); // ids sort by time
  return query
    .orderBy('id', page.isAscending ? 'asc' : 'desc')
    .limit(page.limit)
    .execute();
}

export async function countRuns(
  { db }: Database,
  projectId: ProjectId,
  { sweepId }: { sweepId: string | null },
): Promise<number> {
  let query = db
    .selectFrom('runs')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId);
  if (sweepId !== null) query = query.where('sweep_id', '=', sweepId);
  const { count } = await query.executeTakeFirstOrThrow();
  return count;
}

/** @returns whether there was one */
export async function deleteRun({ db }: Database, id: string): Promise<boolean> {
  return (await db.deleteFrom('runs').where('id', '=', id).returning('id').execute()).length > 0;
}

function selectRuns({ db }: Database) {
  return db
    .selectFrom('runs')
    .select((select) => [
      'id',
      select.ref('project_id').$castTo<ProjectId>().as('projectId'),
      'name',
      'display_name as displayName',
      'state',
      'config',
      'summary',
      'tags',
      'notes',
      'description',
      'group_name as group',
      'job_type as jobType',
      'host',
      'program',
      'repository',
      'commit_hash as commit',
      'sweep_id as sweepId',
      'created_by as createdBy',
      'created_at as createdAt',
      'heartbeat_at as heartbeatAt',
      'history_lines as historyLines',
      'event_lines as eventLines',
      'log_lines as logLines',
    ]);
}
