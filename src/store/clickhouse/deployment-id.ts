import type { DeploymentId } from '../deployment-id.ts';
import type { ClickHouse } from './clickhouse.ts';
import { forLayout } from './layout.ts';

const table = 'CREATE TABLE IF NOT EXISTS deployment (id String) ENGINE = MergeTree ORDER BY id';

/**
 * Not a migration: it is read before the schema of what may be another deployment is changed. Rows are not removed: the id
 * is ordered before what an unfinished copy has instead.
 */
export function clickhouseDeployment({ internal }: ClickHouse): DeploymentId {
  return {
    async read() {
      await internal.command(forLayout(table, internal.layout));
      const [row] = await internal.query<{ id: string }>('SELECT id FROM deployment ORDER BY id LIMIT 1');
      return row?.id ?? null;
    },
    write: (id) => internal.insert('deployment', Buffer.from(`${JSON.stringify({ id })}\n`)),
  };
}
