import type { DeploymentId } from '../deployment-id.ts';
import type { ClickHouse } from './clickhouse.ts';
import { forLayout } from './layout.ts';
import { inlineParams } from './query/inline-params.ts';

const table = 'CREATE TABLE IF NOT EXISTS deployment (id String) ENGINE = MergeTree ORDER BY id';

/** Of two processes that create it at the same time, one does: its comment is the first id. */
const choice =
  'CREATE TABLE IF NOT EXISTS first_deployment (id String) ENGINE = MergeTree ORDER BY id COMMENT {id:String}';
const chosen = `SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'first_deployment'`;

/**
 * Not a migration: it is read before the schema of what may be another deployment is changed. Rows are not removed: the id
 * is ordered before what an unfinished copy has instead.
 */
export function clickhouseDeployment({ internal }: ClickHouse): DeploymentId {
  const write = (id: string) => internal.insert('deployment', Buffer.from(`${JSON.stringify({ id })}\n`));
  return {
    async read() {
      await internal.command(forLayout(table, internal.layout));
      const [row] = await internal.query<{ id: string }>('SELECT id FROM deployment ORDER BY id LIMIT 1');
      return row?.id ?? null;
    },
    write,
    async agree(id) {
      await internal.command(forLayout(inlineParams(choice, { id }), internal.layout)); // the id may be an object of a bucket
      const [row] = await internal.query<{ comment: string }>(chosen);
      await write(row!.comment);
      return row!.comment;
    },
  };
}
