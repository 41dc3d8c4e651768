import { mkdirSync } from 'node:fs';
import { currentScope } from '../../util/request-scope.ts';
import { inlineParams } from './chdb/inline-params.ts';
import { type LaneLimits, openLanes, type Run } from './chdb/lanes.ts';
import { type ChdbSession, openSession } from './chdb/session.ts';
import { budgetSql, limitError, type QueryBudget, wasKilled } from './query-budget.ts';
import { checkWasmBounds, restoreDefaultSignals } from './signals.ts';

// When this file is loaded, because PGlite and Node's own parsers must not have been compiled yet.
checkWasmBounds();

/**
 * The store of append-only data. chDB inside the process speaks the SQL of a ClickHouse server, through the same
 * client; code outside this file must not depend on which one is used. Failures throw a `StoreError`, which contains no
 * values.
 */
export type ClickHouse = {
  /**
   * Runs a read and returns its rows. `params` replace `{name:Type}` in the SQL.
   * Within a request (see `RequestScope`) it is limited by the query budget and ends when the client disconnects.
   * @throws Failure if it exceeds the budget or too many reads wait
   */
  query<Row>(sql: string, params?: QueryParams): Promise<Row[]>;
  /** Like `query`, but returns the answer as bytes in one of ClickHouse's binary formats: for lists of a million values. */
  queryBytes(sql: string, format: 'RowBinary', params?: QueryParams): Promise<Buffer>;
  /** Runs a statement that returns nothing. */
  command(sql: string): Promise<void>;
  /**
   * Inserts JSON lines (one row each, with a line feed) and resolves when they are durable and visible.
   * @throws InsertRefused if a row is invalid: then none of them is stored.
   */
  insert(table: string, lines: Buffer): Promise<void>;
  /** Whether no other process writes to this store, so that written data can be cached. */
  isOnlyWriter: boolean;
  /** The same store for the server's internal work, also during a request: writes are not delayed by reads. */
  internal: ClickHouse;
  close(): Promise<void>;
};

export type QueryParams = Record<string, unknown>;

/** The limits on reads of requests. */
export type ReadLimits = { budget: QueryBudget; lanes: LaneLimits };

/** Opens chDB (embedded ClickHouse) on a directory. One per process, and only on its main thread. */
export function openChdb(directory: string, limits: ReadLimits = generousLimits): ClickHouse {
  mkdirSync(directory, { recursive: true });
  const { budget, lanes } = limits;
  const commands = openSession(directory, null);
  const inserts = openInserts(directory);
  const own = Array.from({ length: internalSessions }, () => openSession(directory, budgetSql(internalBudget)));
  const readers = Array.from({ length: lanes.quickMax + lanes.longMax }, () =>
    openSession(directory, budgetSql(budget)),
  );
  const controller = openSession(directory, null);
  restoreDefaultSignals();
  const requests = openRequestReads({ readers, controller, limits });
  const ownReads = openOwnReads(own);
  const shared = {
    command: (sql: string) => commands.command(sql),
    async insert(table: string, lines: Buffer) {
      if (lines.length > 0) await inserts.insert(table, lines);
    },
    isOnlyWriter: true,
    async close() {
      const sessions = [commands, ...inserts.sessions, ...own, ...readers, controller];
      await Promise.all(sessions.map((each) => each.close()));
    },
  };
  const internal: ClickHouse = {
    ...shared,
    query: async <Row>(sql: string, params: QueryParams = {}) => {
      const statement = inlineParams(sql, params);
      return ownReads((session) => session.query<Row>(statement));
    },
    queryBytes: async (sql, format, params = {}) => {
      const statement = inlineParams(sql, params);
      return ownReads((session) => session.queryBytes(statement, format));
    },
    get internal() {
      return internal;
    },
  };
  return {
    ...shared,
    internal,
    async query<Row>(sql: string, params: QueryParams = {}): Promise<Row[]> {
      const scope = currentScope();
      if (!scope) return internal.query<Row>(sql, params);
      return requests(inlineParams(sql, params), (session, marked) => session.query<Row>(marked), scope);
    },
    async queryBytes(sql, format, params = {}) {
      const scope = currentScope();
      if (!scope) return internal.queryBytes(sql, format, params);
      return requests(inlineParams(sql, params), (session, marked) => session.queryBytes(marked, format), scope);
    },
  };
}

/**
 * Each table has sessions of its own: inserting the row list of a large dataset takes a second, and calls must not wait
 * for it. Concurrent inserts into a table run in different sessions.
 */
function openInserts(directory: string) {
  const idle = new Map<string, ChdbSession[]>();
  const sessions: ChdbSession[] = [];
  const open = () => {
    const session = openSession(directory, null);
    sessions.push(session);
    return session;
  };
  return {
    sessions,
    async insert(table: string, lines: Buffer): Promise<void> {
      const free = idle.get(table) ?? [];
      idle.set(table, free);
      const session = free.pop() ?? open();
      await session.insert(table, lines).finally(() => free.push(session));
    },
  };
}

/** Internal reads find the stored versions of written calls: each is small, but there may be many. */
const internalSessions = 2;
const gigabyte = 1024 ** 3;
const internalBudget: QueryBudget = { timeMs: 600_000, bytesRead: 2 ** 50, memoryBytes: 2 * gigabyte, threads: 4 };

/** For code that opens a store without a server. */
const generousLimits: ReadLimits = {
  budget: internalBudget,
  lanes: {
    ...{ quickMax: 2, quickPerGroupMax: 2, longMax: 2, heavyMax: 2, longPerGroupMax: 2, trialMs: 300 },
    ...{ waitingPerGroupMax: 1000, waitMsMax: 600_000 },
  },
};

type RequestReads = { readers: ChdbSession[]; controller: ChdbSession; limits: ReadLimits };
/** Sends a statement to a session. */
type Read<Answer> = (session: ChdbSession, sql: string) => Promise<Answer>;
type Scope = NonNullable<ReturnType<typeof currentScope>>;

function openRequestReads({ readers, controller, limits: { budget, lanes: laneLimits } }: RequestReads) {
  const idle = [...readers];
  const lanes = openLanes(laneLimits, wasKilled);
  const usedTimes = openUsedTimes(controller);
  let count = 0;

  function start<Answer>(sql: string, read: Read<Answer>): Run<Answer> {
    const session = idle.pop()!; // there is one for each place in the lanes
    const mark = `/* read ${count++} */`;
    let hasEnded = false;
    const ended = read(session, `${mark} ${sql}`).finally(() => {
      hasEnded = true;
      idle.push(session);
    });
    return {
      ended,
      stop: () => void kill(controller, mark, () => hasEnded),
      usedMs: async () => (await usedTimes()).get(mark) ?? 0,
    };
  }

  return async <Answer>(sql: string, read: Read<Answer>, { group, signal }: Scope): Promise<Answer> => {
    try {
      return await lanes.run<Answer>({ group, signal, bytes: sql.length, start: () => start(sql, read) });
    } catch (error) {
      throw limitError(error, budget) ?? error;
    }
  };
}

/** The CPU time of each running read, by its mark. Concurrent callers share one statement. */
function openUsedTimes(controller: ChdbSession): () => Promise<Map<string, number>> {
  const read = async () => {
    const rows = await controller.query<{ mark: string; ms: number }>(
      `SELECT substring(query, 1, position(query, '*/') + 1) AS mark, ProfileEvents['OSCPUVirtualTimeMicroseconds'] / 1000 AS ms
       FROM system.processes WHERE startsWith(query, '/* read')`,
    );
    return new Map(rows.map(({ mark, ms }) => [mark, ms]));
  };
  let asked: Promise<Map<string, number>> | null = null;
  return () => {
    if (asked) return asked;
    asked = read().catch(() => new Map());
    setTimeout(() => {
      asked = null;
    }, 50).unref();
    return asked;
  };
}

/** A statement that was just sent is not listed yet, so this may take several attempts. */
async function kill(controller: ChdbSession, mark: string, hasEnded: () => boolean): Promise<void> {
  for (let pauseMs = 20; !hasEnded(); pauseMs = Math.min(pauseMs * 2, 1000)) {
    await controller.command(`KILL QUERY WHERE startsWith(query, '${mark}') ASYNC`).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  }
}

/** Each statement goes to the session with the fewest statements. */
function openOwnReads(sessions: ChdbSession[]) {
  const underWay = new Map(sessions.map((session) => [session, 0]));
  return async <Answer>(read: (session: ChdbSession) => Promise<Answer>): Promise<Answer> => {
    const [session] = [...underWay].reduce((least, each) => (each[1] < least[1] ? each : least));
    underWay.set(session, underWay.get(session)! + 1);
    try {
      return await read(session);
    } finally {
      underWay.set(session, underWay.get(session)! - 1);
    }
  };
}
