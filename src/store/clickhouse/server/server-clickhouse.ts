import { randomUUID } from 'node:crypto';
import { currentScope } from '../../../util/request-scope.ts';
import { openLatency } from '../../latency.ts';
import { lookUp } from '../../looked-up.ts';
import type { StoreFigures } from '../../opened-store.ts';
import type { Peers } from '../../peers/peers.ts';
import type { ClickHouse, QueryParams } from '../clickhouse.ts';
import { killUntilEnded } from '../lanes/kill.ts';
import { openLimitedReads } from '../lanes/limited-reads.ts';
import { budgetSettings, internalBudget } from '../lanes/query-budget.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import type { StartedRead } from '../lanes/reads.ts';
import { openUsedTimes } from '../lanes/used-times.ts';
import type { Layout } from '../layout.ts';
import { inlineParams } from '../query/inline-params.ts';
import { parseLines } from '../rows/parse-lines.ts';
import { type Attempts, openAttempts } from './attempts.ts';
import { changeSchema } from './change-schema.ts';
import type { Host } from './host.ts';
import { openInsertPace } from './insert-pace.ts';
import type { Route } from './route.ts';

type Options = {
  route: Route;
  layout: Layout;
  limits: ReadLimits;
  /** Into one table, by all processes together. */
  insertsPerSecondMax: number;
  /** Whether a row is acknowledged once it is on a majority of the replicas. */
  hasQuorum: boolean;
};

export type ServerClickHouse = {
  store: ClickHouse;
  /** Sends nothing while the server is idle and answered last: a statement would wake up a server that sleeps. */
  probe(): Promise<void>;
  /** Also looked up only while other statements are answered. */
  figures(): StoreFigures;
  shareLimits(peers: Pick<Peers, 'count'>): void;
};

type Format = 'JSONEachRow' | 'RowBinary';

/**
 * How long a statement is sent again before its request fails. Its client can try again, too. An insert lasts until its
 * quorum was given up once, or the replica was changed.
 */
const retryMs = { request: 1_000, own: 10_000, insertIntoReplicas: 25_000 };

const quorumMsMax = 10_000;

/** ClickHouse on a server, over HTTP. */
export function openServerClickHouse(options: Options): ServerClickHouse {
  const { route, layout, limits, insertsPerSecondMax } = options;
  const latency = openLatency();
  const attempts = openAttempts(latency);
  let processes = () => 1;
  const pace = openInsertPace(insertsPerSecondMax, () => processes());
  const readOfRequest = openReadsOfRequests({ route, attempts, limits });
  const insert = openInserts({ route, attempts, options });
  const ownSettings = budgetSettings(internalBudget);
  const readOwn = (sql: string, format: Format) =>
    attempts.run(retryMs.own, () => route.run(({ own }) => own.read(sql, format, { settings: ownSettings })));
  const read = (sql: string, format: Format) => readOfRequest(sql, format) ?? readOwn(sql, format);

  const isAwake = () => attempts.hasAnsweredWithin(awakeMs);
  const version = lookUp(() => route.run(readVersion), isAwake);
  const free = lookUp(() => route.run(readFreeBytes), isAwake);

  const shared = {
    layout,
    command: (sql: string) => attempts.run(retryMs.own, () => route.run(({ own }) => changeSchema(own, sql, layout))),
    async insert(table: string, lines: Buffer) {
      if (lines.length === 0) return;
      await pace(table);
      await insert(table, lines);
    },
    close: () => route.close(),
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
    shareLimits(peers) {
      processes = peers.count;
    },
    async probe() {
      if (!attempts.isInDoubt()) return;
      await attempts
        .run(0, () => route.run(({ control }) => control.command('SELECT 1')))
        .catch((error) => {
          const problem = route.problem();
          throw problem === null ? (error.cause ?? error) : new Error(problem); // for its operator
        });
    },
  };
}

/** Each insert has a token, also if it is sent again to another replica: rows that are stored already are not stored twice. */
function openInserts({ route, attempts, options }: { route: Route; attempts: Attempts; options: Options }) {
  const isReplicated = options.layout.kind === 'replicas';
  const ofReplicas = {
    // Inserts at the same time do not wait for each other: all processes read what they write at one replica.
    insert_quorum_parallel: 1 as const,
    insert_quorum: options.hasQuorum ? 'auto' : '0',
    insert_quorum_timeout: quorumMsMax,
  };
  return async (table: string, lines: Buffer) => {
    const settings = { insert_deduplication_token: randomUUID(), ...(isReplicated ? ofReplicas : {}) };
    await attempts.run(isReplicated ? retryMs.insertIntoReplicas : retryMs.own, () =>
      route.run(({ inserts }) => inserts.insert(table, lines, { settings })),
    );
  };
}

/** ClickHouse Cloud suspends a server that has been idle for minutes. */
const awakeMs = 30_000;

async function readVersion({ control }: Host): Promise<string> {
  const [row] = await parseLines<{ version: string }>(await control.read('SELECT version() AS version', 'JSONEachRow'));
  return row!.version;
}

/** Of the disk with the least free space: that of the server, and those with parts of heddle. A bucket reports 2^64 - 1. */
async function readFreeBytes({ control }: Host): Promise<number | null> {
  const [row] = await parseLines<{ disks: number; bytes: number }>(
    await control.read(
      `SELECT count() AS disks, min(free_space) AS bytes FROM system.disks
       WHERE name = 'default' OR name IN (SELECT disk_name FROM system.parts WHERE database = currentDatabase() AND active)`,
      'JSONEachRow',
    ),
  );
  return row!.disks > 0 && row!.bytes < Number.MAX_SAFE_INTEGER ? row!.bytes : null;
}

type ReadsOfRequests = { route: Route; attempts: Attempts; limits: ReadLimits };

/** Runs the reads of requests in the lanes; null outside of a request. */
function openReadsOfRequests({ route, attempts, limits }: ReadsOfRequests) {
  const limited = openLimitedReads(limits);
  const settings = budgetSettings(limits.budget);
  const instance = `heddle-${randomUUID()}`;
  const usedMs = openUsedTimes(async () =>
    parseLines(
      await route.run(({ control }) =>
        control.read(
          `SELECT query_id AS name, ProfileEvents['OSCPUVirtualTimeMicroseconds'] / 1000 AS ms
           FROM system.processes WHERE startsWith(query_id, '${instance}')`,
          'JSONEachRow',
        ),
      ),
    ),
  );
  let count = 0;

  function start(sql: string, format: Format): StartedRead<Buffer> {
    let hasEnded = false;
    let queryId = '';
    let host: Host | null = null;
    const send = (used: Host) => {
      host = used;
      queryId = `${instance}-${count++}`;
      return used.reads.read(sql, format, { settings, queryId });
    };
    const ended = attempts
      .run(retryMs.request, () => route.run(send))
      .finally(() => {
        hasEnded = true;
      });
    const kill = async () => host?.control.command(`KILL QUERY WHERE query_id = '${queryId}' ASYNC`);
    return { ended, stop: () => void killUntilEnded(kill, () => hasEnded), usedMs: () => usedMs(queryId) };
  }

  return (sql: string, format: Format): Promise<Buffer> | null => {
    const scope = currentScope();
    return scope ? limited(sql, () => start(sql, format), scope) : null;
  };
}
