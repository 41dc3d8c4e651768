import type { SortBy } from '../../../contract/calls/filter.ts';
import { badRequest } from '../../../contract/errors.ts';
import type { ThreadsFilter } from '../../../contract/threads/stream-query.ts';
import type { Thread } from '../../../domain/threads/thread.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { threadOrderSql } from './thread-order.ts';

export type ThreadsRead = {
  projectId: string;
  filter: ThreadsFilter | null;
  sortBy: SortBy[] | null;
  limit: number | null;
  offset: number | null;
};

/** Reads threads page by page. @throws ApiError 400 before the first page, for an order or a limit that cannot be. */
export function readThreads(clickhouse: ClickHouse, read: ThreadsRead): AsyncIterable<Thread[]> {
  const { projectId, filter, limit } = read;
  if ((limit ?? 0) < 0) throw badRequest(`limit must not be negative, found ${limit}`);
  if ((read.offset ?? 0) < 0) throw badRequest(`offset must not be negative, found ${read.offset}`);
  const order = threadOrderSql(read.sortBy);
  return (async function* pages() {
    const end = limit === null ? Number.POSITIVE_INFINITY : (read.offset ?? 0) + limit;
    for (let offset = read.offset ?? 0; offset < end; offset += pageThreads) {
      const count = Math.min(pageThreads, end - offset);
      const page = await readPage(clickhouse, { projectId, filter, order, count, offset });
      if (page.length > 0) yield page;
      if (page.length < count) return;
    }
  })();
}

const pageThreads = 10_000;

/**
 * Few calls are turns. So their times are found first, in a narrow read of all versions; FINAL then has to bring together
 * what lies at these times alone.
 */
async function readPage(
  clickhouse: ClickHouse,
  page: Pick<ThreadsRead, 'projectId' | 'filter'> & { order: string; count: number; offset: number },
): Promise<Thread[]> {
  const params = new SqlParams();
  const turns = turnsSql(page, params);
  return clickhouse.query<Thread>(
    `SELECT
       thread_id AS threadId,
       count() AS turnCount,
       toUnixTimestamp64Micro(min(started_at)) AS startTime,
       toUnixTimestamp64Micro(assumeNotNull(max(ended_at))) AS lastUpdated,
       argMin(id, (started_at, id)) AS firstTurnId,
       argMaxIf(id, (assumeNotNull(ended_at), id), isNotNull(ended_at)) AS lastTurnId,
       quantiles(0.5, 0.99)(${durationSql}) AS durations,
       durations[1] AS p50TurnDurationMs,
       durations[2] AS p99TurnDurationMs
     FROM calls FINAL
     WHERE ${turns} AND is_started = 1 AND started_at IN (SELECT started_at FROM calls WHERE ${turns})
     GROUP BY thread_id
     HAVING isNotNull(max(ended_at))
     ORDER BY ${page.order}
     LIMIT ${page.count} OFFSET ${page.offset}`,
    params.values,
  );
}

const durationSql = 'intDiv(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at), 1000)';

function turnsSql({ projectId, filter }: Pick<ThreadsRead, 'projectId' | 'filter'>, params: SqlParams): string {
  const { after_datetime: after = null, before_datetime: before = null, thread_ids: ids = null } = filter ?? {};
  return [
    `project_id = ${params.string(projectId)}`,
    ...(after === null ? [] : [`started_at > ${params.time(after)}`]),
    ...(before === null ? [] : [`started_at < ${params.time(before)}`]),
    ...(ids?.length ? [`thread_id IN ${params.strings(ids)}`] : []),
    "thread_id != ''",
    'turn_id = id',
  ].join(' AND ');
}
