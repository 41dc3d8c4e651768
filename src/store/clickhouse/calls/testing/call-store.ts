import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { serversOf } from '../../../../../testing/test-stores.ts';
import { copyStoreTemplate } from '../../../../api/testing/store-template.ts';
import type { CallRow } from '../../../../domain/calls/call-row.ts';
import { type CallsFilter, noFilter } from '../../../../domain/calls/calls-filter.ts';
import { selectColumns } from '../../../../domain/calls/columns.ts';
import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import { parseQuery } from '../../../../domain/query/parse-query.ts';
import { JsonText } from '../../../../util/json/json-text.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { openEmbeddedClickHouse } from '../../embedded/embedded-clickhouse.ts';
import { generousLimits } from '../../lanes/read-limits.ts';
import { migrateClickHouse } from '../../migrate.ts';
import { serverClickHouse } from '../../server/open.ts';
import { parseServerUrl } from '../../server/server-url.ts';
import { toInsertLine } from '../call-line.ts';
import { type CountedCalls, countCalls } from '../find/count-calls.ts';
import { type CallsRead, readCalls } from '../find/read-calls.ts';

/** An empty store for one test file: in a directory of its own, or on the server that `HEDDLE_TEST_CLICKHOUSE_URL` names. */
export async function openCallStore(): Promise<{ clickhouse: ClickHouse; close(): Promise<void> }> {
  const { HEDDLE_CLICKHOUSE_URL: url } = serversOf(randomUUID());
  if (url) {
    const options = { address: parseServerUrl(url), limits: generousLimits, insertsPerSecondMax: 1000 };
    const { store } = await serverClickHouse(options);
    await migrateClickHouse(store);
    return { clickhouse: store, close: () => store.close() };
  }
  const directory = copyStoreTemplate(inject('storeTemplate'), 'clickhouse');
  const clickhouse = openEmbeddedClickHouse(join(directory, 'clickhouse'));
  return {
    clickhouse,
    async close() {
      await clickhouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** 2024-01-01T00:00:00Z. */
export const newYear = 1_704_067_200_000_000;

let projects = 0;

/** A project for one test. Its calls are named by their ids and start one second apart. */
export function testProject(clickhouse: ClickHouse) {
  const projectId = `project-${++projects}`;
  const projectName = `e/p${projects}`;
  let written = 0;
  return {
    projectId,
    projectName,
    async write(...rows: (Partial<CallRow> & { id: string })[]): Promise<void> {
      const complete = rows.map((row) => ({ ...plainCall(projectId, newYear + written++ * 1e6), ...row }));
      await clickhouse.insert('calls', Buffer.from(complete.map(toInsertLine).join('')));
    },
    read: (request: TestRead = {}) => collect(clickhouse, { ...toRead(request), projectId, projectName }),
    async ids(request: TestRead = {}): Promise<string[]> {
      return (await this.read(request)).map(({ id }) => id);
    },
    count: (request: TestRead & { includeTotalStorageSize?: boolean } = {}): Promise<CountedCalls> =>
      countCalls(clickhouse, { ...toRead(request), projectId, projectName }),
  };
}

export type TestRead = Partial<Omit<CallsRead, 'filter' | 'query' | 'columns'>> & {
  filter?: Partial<CallsFilter>;
  /** The JSON text below `$expr`. */
  expr?: string;
  columns?: string[];
};

function toRead({ filter, expr, columns, ...rest }: TestRead): Omit<CallsRead, 'projectId' | 'projectName'> {
  return {
    filter: filter ? ({ ...noFilter, ...filter } as CallsFilter) : null,
    query: expr ? parseQuery(new JsonText(`{"$expr":${expr}}`)) : null,
    sortBy: null,
    limit: null,
    offset: null,
    columns: selectColumns(columns ?? null),
    includeStorageSize: false,
    includeTotalStorageSize: false,
    expansion: null,
    ...rest,
  };
}

async function collect(clickhouse: ClickHouse, read: CallsRead): Promise<FoundCall[]> {
  const calls: FoundCall[] = [];
  for await (const page of await readCalls(clickhouse, read)) calls.push(...page);
  return calls;
}

/** A finished call without content. */
export function plainCall(projectId: string, startedAt: number): Omit<CallRow, 'id'> {
  return {
    ...{
      projectId,
      startedAt,
      version: 1,
      isDeleted: false,
      isStarted: true,
      isRenamed: false,
      isRepeated: false,
      isTopmost: false,
      startNumber: 0,
      endNumber: 0,
    },
    ...{ traceId: 't', parentId: '', threadId: '', turnId: '', opName: 'op', displayName: '' },
    ...{ endedAt: startedAt + 500_000, status: 'success', exception: '' },
    ...{
      attributes: '{}',
      inputs: '{}',
      output: 'null',
      summary: '{}',
      otelDump: '',
      mapperVersion: 0,
      inputRefs: [],
      outputRefs: [],
    },
    ...{ wbUserId: 'u', wbRunId: '', wbRunStep: null, wbRunStepEnd: null },
  };
}
