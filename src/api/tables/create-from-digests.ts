import type { Context } from '../../context.ts';
import type { tableCreateFromDigests } from '../../contract/tables/create-from-digests.ts';
import { tableDigest } from '../../domain/digest/digest.ts';
import type { Handler } from '../../http/bind.ts';
import { countStoredRows } from '../../store/clickhouse/tables/count-stored-rows.ts';
import { insertTable } from '../../store/clickhouse/tables/insert-table.ts';
import { distinctInTurns } from '../../util/turns.ts';
import { refuseOtherDigest } from './create.ts';

export function createTableFromDigests({
  identity,
  clickhouse,
  inserter,
}: Pick<Context, 'identity' | 'clickhouse' | 'inserter'>): Handler<typeof tableCreateFromDigests> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForWrite(caller, body.project_id);
    const { row_digests: rowDigests } = body;
    const digest = await tableDigest(rowDigests);
    refuseOtherDigest(body.expected_digest, digest, rowDigests.length);
    const distinct = await distinctInTurns(rowDigests);
    const stored = await countStoredRows(clickhouse, projectId, distinct);
    await insertTable(inserter, { projectId, digest, rowDigests, isComplete: stored === distinct.length });
    return { digest };
  };
}
