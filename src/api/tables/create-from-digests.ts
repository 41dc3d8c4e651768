import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tables/create-from-digests.ts';
import type { Handler } from '../../http/bind.ts';

export function tableCreateFromDigests({
  identity,
  services: { tables },
}: Context): Handler<typeof contract.tableCreateFromDigests> {
  return async ({
    body: { project_id: project, row_digests: rowDigests, expected_digest: expectedDigest },
    caller,
  }) => {
    const projectId = await identity.projectForWrite(caller, project);
    return tables.createFromDigests({ projectId, rowDigests, expectedDigest });
  };
}
