import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tables/query-stats.ts';
import type { Handler } from '../../http/bind.ts';

export function tableQueryStats({ identity, services: { tables } }: Context): Handler<typeof contract.tableQueryStats> {
  return async ({ body: { project_id: project, digest }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    return { count: await tables.count({ projectId, digest }) };
  };
}
