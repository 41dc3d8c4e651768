import { randomUUID } from 'node:crypto';
import { currentScope } from '../../../util/request-scope.ts';
import { openLatency } from '../../latency.ts';
import { lookUp } from '../../looked-up.ts';
import type { StoreFigures } from '../../opened-store.ts';
import type { ClickHouse, QueryParams } from '../clickhouse.ts';
import { killUntilEnded } from '../lanes/kill.ts';
import { openLimitedReads } from '../lanes/limited-reads.ts';
import { budgetSettings, internalBudget } from '../lanes/query-budget.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import type { StartedRead } from '../lanes/reads.ts';
import { openUsedTimes } from '../lanes/used-times.ts';
import { inlineParams } from '../query/inline-params.ts';
import { parseLines } from '../rows/parse-lines.ts';
import { type Attempts, openAttempts } from './attempts.ts';
import { openInsertPace } from './insert-pace.ts';
import type { ServerAddress } from './server-url.ts';
import { openStatements, type Statements } from './statements.ts';

export type ServerOptions = {
  address: ServerAddress;
  limits: ReadLimits;
  /** Into one table. */
  insertsPerSecondMax: number;
};

export type ServerClickHouse = {
  store: ClickHouse;
  /** Sends nothing while the server is idle and answered last: a statement would wake up a server that sleeps. */
  probe(): Promise<void>;
  /** Also looked up only while other statements are answered. */
  figures(): StoreFigures;
};

type Format = 'JSONEachRow' | 'RowBinary';

/** How long a statement is sent again before its request fails. Its client can try again, too. */
const retryMs = { request: 1_000, own: 10_000 };

/** Longer than the server lets a statement run, which then answers that it took too long. */
const answerMarginMs = 15_000;
const ownSockets = 4;
const insertSockets = 6;

/** ClickHouse on a server, over HTTP. */
export function openServerClickHouse({ address, limits, insertsPerSecondMax }: ServerOptions): ServerClickHouse {
  const { lanes, budget } = limits;
  const answerMsMax = internalBudget.timeMs + answerMarginMs;
  const reads = openStatements(address, {
    socketsMax: lanes.quickMax + lanes.longMax,
    answerMsMax: budget.timeMs + answerMarginMs,
  });
  const own = openStatements(address, { socketsMax: ownSockets, answerMsMax });
  const inserts = openStatements(address, { socketsMax: insertSockets, answerMsMax: 120_000 });
  const control = openStatements(address, { socketsMax: 2, answerMsMax: 10_000 });
  const latency = openLatency();
  const attempts = openAttempts(latency);
  const pace = openInsertPace(insertsPerSecondMax);
  const readOfRequest = openReadsOfRequests({ reads, control, attempts, limits });
  const ownSettings = budgetSettings(internalBudget);
  const readOwn = (sql: string, format: Format) =>
    attempts.run(retryMs.own, () => own.read(sql, format, { settings: ownSettings }));
  const read = (sql: string, format: Format) => readOfRequest(sql, format) ?? readOwn(sql, format);

  const isAwake = () => attempts.hasAnsweredWithin(awakeMs);
  const version = lookUp(() => readVersion(control), isAwake);
  const free = lookUp(() => readFreeBytes(control), isAwake);

  const shared = {
    kind: 'server' as const,
    command: (sql: string) => attempts.run(retryMs.own, () => own.command(sql)),
    async insert(table: string, lines: Buffer) {
      if (lines.length === 0) return;
      await pace(table);
      // Equal rows of another insert are not taken for a repetition of this one, and those of a repetition are.
      const settings = { insert_deduplication_token: randomUUID() };
      await attempts.run(retryMs.own, () => inserts.insert(table, lines, { settings }));
    },
    async close() {
      await Promise.all([reads, own, inserts, control].map((each) => each.close()));
    },
  };
  const internal: ClickHouse = {
    ...shared,
    query: async <Row>(sql: string, params: QueryParams = {}) =>
      parseLines<Row>(await readOwn(inlineParams(sql, params), 'JSONEachRow')),
    queryBytes: async (sql, format, params = {}) => readOwn(inlineParams(sql, params), format),
    get internal() {
      return internal;
    },
  };
  return {
    store: {
      ...shared,
      internal,
      query: async <Row>(sql: string, params: QueryParams = {}) =>
        parseLines<Row>(await read(inlineParams(sql, params), 'JSONEachRow')),
      queryBytes: async (sql, format, params = {}) => read(inlineParams(sql, params), format),
    },
    figures: () => ({
      version: version.latest(),
      latencySeconds: latency.seconds(),
      freeBytes: free.latest(),
      usedBytes: null,
    }),
    async probe() {
      if (!attempts.isInDoubt()) return;
      await attempts
        .run(0, () => control.command('SELECT 1'))
        .catch((error) => {
          throw error.cause ?? error; // what the server said, for its operator
        });
    },
  };
}

/** ClickHouse Cloud suspends a server that has been idle for minutes. */
const awakeMs = 30_000;

async function readVersion(statements: Statements): Promise<string> {
  const [row] = await parseLines<{ version: string }>(
    await statements.read('SELECT version() AS version', 'JSONEachRow'),
  );
  return row!.version;
}

/** Of the disk with the least free space: that of the server, and those with parts of heddle. A bucket reports 2^64 - 1. */
async function readFreeBytes(statements: Statements): Promise<number | null> {
  const [row] = await parseLines<{ disks: number; bytes: number }>(
    await statements.read(
      `SELECT count() AS disks, min(free_space) AS bytes FROM system.disks
       WHERE name = 'default' OR name IN (SELECT disk_name FROM system.parts WHERE database = currentDatabase() AND active)`,
      'JSONEachRow',
    ),
  );
  return row!.disks > 0 && row!.bytes < Number.MAX_SAFE_INTEGER ? row!.bytes : null;
}

type ReadsOfRequests = { reads: Statements; control: Statements; attempts: Attempts; limits: ReadLimits };

/** Runs the reads of requests in the lanes; null outside of a request. */
function openReadsOfRequests({ reads, control, attempts, limits }: ReadsOfRequests) {
  const limited = openLimitedReads(limits);
  const settings = budgetSettings(limits.budget);
  const instance = `heddle-${randomUUID()}`;
  const usedMs = openUsedTimes(async () =>
    parseLines(
      await control.read(
        `SELECT query_id AS name, ProfileEvents['OSCPUVirtualTimeMicroseconds'] / 1000 AS ms
         FROM system.processes WHERE startsWith(query_id, '${instance}')`,
        'JSONEachRow',
      ),
    ),
  );
  let count = 0;

  function start(sql: string, format: Format): StartedRead<Buffer> {
    let hasEnded = false;
    let queryId = '';
    const send = () => {
      queryId = `${instance}-${count++}`;
      return reads.read(sql, format, { settings, queryId });
    };
    const ended = attempts.run(retryMs.request, send).finally(() => {
      hasEnded = true;
    });
    const kill = () => control.command(`KILL QUERY WHERE query_id = '${queryId}' ASYNC`);
    return { ended, stop: () => void killUntilEnded(kill, () => hasEnded), usedMs: () => usedMs(queryId) };
  }

  return (sql: string, format: Format): Promise<Buffer> | null => {
    const scope = currentScope();
    return scope ? limited(sql, () => start(sql, format), scope) : null;
  };
}
