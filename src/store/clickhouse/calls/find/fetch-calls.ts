import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { joinsSql, type Sql } from '../../query/sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';
import { allOf, startedAtSql } from '../sql/calls-query.ts';
import { storedCallSql } from '../sql/found-call-sql.ts';

/** The key of a call, and how many bytes reading it takes. */
export type CallKey = { startedAt: number; id: string; bytes: number };

/**
 * The newest versions of the calls at these keys, in their order, without calls that have been hidden since. Reading
 * the few versions at known keys avoids a FINAL over payloads.
 */
export async function fetchCalls(
  clickhouse: ClickHouse,
  fetch: {
    projectId: string;
    keys: CallKey[];
    select: string;
    conditions: Sql[];
    params: SqlParams;
  },
): Promise<FoundCall[]> {
  const { projectId, keys, select, conditions, params } = fetch;
  const times = keys.map((key) => key.startedAt);
  const ids = params.strings(keys.map((key) => key.id));
  // A column that is not selected gets an alias of its name, which conditions beside it would refer to.
  const rows = await clickhouse.query<FoundCall>(
    `SELECT ${select}
     FROM (
       SELECT newest.*
       FROM (
         SELECT ${storedCallSql}
         FROM calls
         WHERE project_id = ${params.string(projectId)} AND ${startedAtSql(times, params)} AND id IN ${ids}
         ORDER BY version DESC
         LIMIT 1 BY started_at, id
       ) AS newest ${joinsSql(conditions)}
       WHERE ${allOf('is_started = 1', 'is_deleted = 0', ...conditions)}
     )`,
    params.values,
  );
  const byKey = new Map(rows.map((row) => [keyText(row), row]));
  return keys.flatMap((key) => byKey.get(keyText(key)) ?? []);
}

function keyText({ startedAt, id }: { startedAt: number; id: string }): string {
  return `${startedAt}/${id}`;
}

/** Splits keys into pages that load a bounded number of bytes into memory. */
export function* pagesOfKeys(keys: CallKey[]): Generator<CallKey[]> {
  let page: CallKey[] = [];
  let bytes = 0;
  for (const key of keys) {
    if (page.length > 0 && (bytes + key.bytes > pageBytesMax || page.length === pageRowsMax)) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(key);
    bytes += key.bytes;
  }
  if (page.length > 0) yield page;
}

const pageBytesMax = 8 * 1024 * 1024;
const pageRowsMax = 1000;
