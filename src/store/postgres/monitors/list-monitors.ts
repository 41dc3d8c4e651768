import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

export type MonitorVersion = {
  projectId: string;
  objectId: string;
  digest: string;
  userId: string | null;
  createdAt: Date;
};

/** The newest live version of each monitor of all projects, active or not. */
export function listMonitors({ db }: Pick<Postgres, 'db'>): Promise<MonitorVersion[]> {
  return (
    db
      .selectFrom('object_versions')
      .distinctOn(['project_id', 'object_id'])
      .select([
        'project_id as projectId',
        'object_id as objectId',
        'digest',
        'wb_user_id as userId',
        'created_at as createdAt',
      ])
      // Literals, as in the condition of the index.
      .where('kind', '=', sql.lit('object'))
      .where('leaf_object_class', '=', sql.lit('Monitor'))
      .where('deleted_at', 'is', null)
      .orderBy('project_id')
      .orderBy('object_id')
      .orderBy('created_at', 'desc')
      .execute()
  );
}
