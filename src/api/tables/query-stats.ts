import type { Context } from '../../context.ts';
import type { tableQueryStats } from '../../contract/tables/query-stats.ts';
import type { Handler } from '../../http/bind.ts';

export function countTable({ identity, services: { tables } }: Context): Handler<typeof tableQueryStats> {
  return async ({ body: { project_id: project, digest }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    return { count: await tables.count({ projectId, digest }) };
  };
}
