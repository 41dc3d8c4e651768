import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { joinsSql, type Sql } from '../../query/sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';
import { allOf, settingsSql, startedAtSql } from '../sql/calls-query.ts';

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
  // One level, because each further one takes a tenth of the time. A column that is not selected gets an alias of its
  // name, which conditions must not refer to.
  const rows = await clickhouse.query<FoundCall & { isFound: boolean }>(
    `SELECT ${select}, toBool(${allOf('is_started = 1', 'is_deleted = 0', ...conditions)}) AS isFound
     FROM calls ${joinsSql(conditions)}
     WHERE project_id = ${params.string(projectId)} AND ${startedAtSql(times, params)} AND id IN ${ids}
     ORDER BY version DESC
     LIMIT 1 BY started_at, id
     ${settingsSql(conditions, 'prefer_column_name_to_alias = 1')}`,
    params.values,
  );
  const found = rows.filter(({ isFound }) => isFound);
  const byKey = new Map(found.map((row) => [keyText(row), row]));
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
