import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tables/query-stats-batch.ts';
import type { Handler } from '../../http/bind.ts';

export function tableQueryStatsBatch({
  identity,
  services: { tables },
}: Context): Handler<typeof contract.tableQueryStatsBatch> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const stats = await tables.stats(projectId, body.digests ?? [], { withSizes: body.include_storage_size ?? false });
    return { tables: stats.map(({ digest, count, sizeBytes }) => ({ count, digest, storage_size_bytes: sizeBytes })) };
  };
}
