import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { type FeedbackWindow, windowSql } from './window-sql.ts';

/**
 * The newest payload of each trigger, with those without a trigger as one group; as many as fit into a bounded number
 * of bytes.
 */
export async function samplePayloads(
  clickhouse: ClickHouse,
  { limit, ...window }: FeedbackWindow & { limit: number },
): Promise<string[]> {
  const params = new SqlParams();
  const rows = await clickhouse.query<{ payload: string }>(
    `SELECT payload FROM (
       SELECT payload, sum(length(payload)) OVER (ORDER BY newest DESC, trigger_ref ROWS UNBOUNDED PRECEDING) AS bytes
       FROM (
         SELECT trigger_ref, argMax(payload, (created_at, id)) AS payload, max(created_at) AS newest
         FROM feedback FINAL
         WHERE ${windowSql(window, params)}
         GROUP BY trigger_ref
         ORDER BY newest DESC
         LIMIT ${params.bind('UInt32', limit)}
       )
     ) WHERE bytes <= ${bytesMax}`,
    params.values,
  );
  return rows.map(({ payload }) => payload);
}

const bytesMax = 32 * 1024 * 1024;
