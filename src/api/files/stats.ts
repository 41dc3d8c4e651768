import type { Context } from '../../context.ts';
import type * as contract from '../../contract/files/stats.ts';
import type { Handler } from '../../http/bind.ts';

export function filesStats({ identity, services: { files } }: Context): Handler<typeof contract.filesStats> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    return { total_size_bytes: await files.sumBytes(projectId) };
  };
}
