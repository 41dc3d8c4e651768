import type { Page } from '../../../domain/query/page.ts';
import type { SortBy } from '../../../domain/query/sort-by.ts';
import type { Thread } from '../../../domain/thread.ts';
import { startedAtSql } from '../calls/sql/calls-query.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { threadOrderSql } from './thread-order.ts';
import { fewTurnTimes, type TurnsScope, turnsSql } from './turns.ts';

export type ThreadsRead = TurnsScope & Page & { sortBy: SortBy[] | null };

/** Reads threads page by page. @throws Failure before the first page, for an invalid order. */
export function readThreads(clickhouse: ClickHouse, read: ThreadsRead): AsyncIterable<Thread[]> {
  const order = threadOrderSql(read.sortBy);
  const start = read.offset ?? 0;
  const end = read.limit === null ? Number.POSITIVE_INFINITY : start + read.limit;
  return (async function* pages() {
    const times = await fewTurnTimes(clickhouse, read);
    if (times?.length === 0) return;
    for (let offset = start; offset < end; offset += pageThreads) {
      const count = Math.min(pageThreads, end - offset);
      const threads = await readPage(clickhouse, read, { times, order, count, offset });
      if (threads.length > 0) yield threads;
      if (threads.length < count) return;
    }
  })();
}

/** Every page groups all turns again, so there are few pages, as large as memory allows. */
const pageThreads = 20_000;

async function readPage(
  clickhouse: ClickHouse,
  scope: TurnsScope,
  { times, order, count, offset }: { times: number[] | null; order: string; count: number; offset: number },
): Promise<Thread[]> {
  const params = new SqlParams();
  const conditions = [turnsSql(scope, params), 'is_started = 1', ...(times ? [startedAtSql(times, params)] : [])];
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
     WHERE ${conditions.join(' AND ')}
     GROUP BY thread_id
     HAVING isNotNull(max(ended_at))
     ORDER BY ${order}
     LIMIT ${count} OFFSET ${offset}`,
    params.values,
  );
}

const durationSql = 'intDiv(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at), 1000)';
