import { callJson } from '../../src/domain/calls/call-json.ts';
import { type CallsFilter, noFilter } from '../../src/domain/calls/calls-filter.ts';
import { parseQuery } from '../../src/domain/query/parse-query.ts';
import { countCalls } from '../../src/store/clickhouse/calls/find/count-calls.ts';
import { type CallsRead, readCalls } from '../../src/store/clickhouse/calls/find/read-calls.ts';
import { JsonText } from '../../src/util/json/json-text.ts';
import type { BenchStore } from './reads.ts';
import { projectId, projectName } from './store.ts';

export type Ask = {
  filter?: Partial<CallsFilter>;
  /** What stands under `$expr`. */
  expr?: unknown;
} & Partial<Pick<CallsRead, 'sortBy' | 'limit'>>;

const newestFirst = [{ field: 'started_at', direction: 'desc' } as const];

/** Reads calls to the lines of an answer, and counts them. */
export async function countRead({ clickhouse }: BenchStore, ask: Ask): Promise<number> {
  let count = 0;
  for await (const page of await readCalls(clickhouse, toRead(ask))) {
    for (const call of page) if (callJson(call, projectName, null).length > 0) count++;
  }
  return count;
}

export async function countMatches({ clickhouse }: BenchStore, ask: Ask): Promise<number> {
  return (await countCalls(clickhouse, toRead({ ...ask, limit: null }))).count;
}

export const test = (operator: string, field: string, value: unknown) => ({
  [operator]: [{ $getField: field }, { $literal: value }],
});

export const contains = (field: string, substr: string) => ({
  $contains: { input: { $getField: field }, substr: { $literal: substr } },
});

function toRead({ filter, expr, sortBy = newestFirst, limit = 50 }: Ask): CallsRead {
  return {
    projectId,
    projectName,
    sortBy,
    limit,
    filter: filter ? { ...noFilter, ...filter } : null,
    query: expr ? parseQuery(new JsonText(JSON.stringify({ $expr: expr }))) : null,
    offset: null,
    columns: null,
    includeStorageSize: false,
    includeTotalStorageSize: false,
    expansion: null,
  };
}
