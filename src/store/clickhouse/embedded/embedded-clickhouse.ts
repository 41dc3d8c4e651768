import { mkdirSync } from 'node:fs';
import { currentScope } from '../../../util/request-scope.ts';
import type { ClickHouse, QueryParams } from '../clickhouse.ts';
import { budgetSettings, internalBudget, type QueryBudget } from '../lanes/query-budget.ts';
import { generousLimits, type ReadLimits } from '../lanes/read-limits.ts';
import { inlineParams } from '../query/inline-params.ts';
import { openInserts } from './inserts.ts';
import { openOwnReads } from './own-reads.ts';
import { openRequestReads } from './request-reads.ts';
import { openSession } from './session.ts';
import { checkWasmBounds, restoreDefaultSignals } from './signals.ts';

// When this file is loaded, because PGlite and Node's own parsers must not have been compiled yet.
checkWasmBounds();

/** Opens chDB (embedded ClickHouse) on a directory. One per process, and only on its main thread. */
export function openEmbeddedClickHouse(directory: string, limits: ReadLimits = generousLimits): ClickHouse {
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
    layout: { kind: 'embedded' as const },
    command: (sql: string) => commands.command(sql),
    async insert(table: string, lines: Buffer) {
      if (lines.length > 0) await inserts.insert(table, lines);
    },
    async close() {
      await Promise.all([commands, inserts, ...own, ...readers].map((each) => each.close()));
      await controller.close(); // it may have to stop a reader's statement first
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

/** Internal reads find the stored versions of written calls: each is small, but there may be many. */
const internalSessions = 2;

function budgetSql(budget: QueryBudget): string {
  const settings = Object.entries(budgetSettings(budget)).map(([name, value]) => `${name} = ${value}`);
  return `SET ${settings.join(', ')}`;
}
