import { readCallsById } from '../src/store/clickhouse/calls/find/read-calls-by-id.ts';
import { countRead } from './support/ask.ts';
import { askOfStores, type BenchStore } from './support/reads.ts';
import { nthCall, projectId } from './support/store.ts';

/** How soon single calls are found, anywhere in a project: by id, and through the trace they belong to. */
await askOfStores(import.meta, [
  {
    name: 'one call by id',
    aimMs: 20,
    ask: async ({ clickhouse, calls }, i) => {
      const { id } = scattered({ calls }, i);
      const sizes = { includeStorageSize: false, includeTotalStorageSize: false };
      return (await readCallsById(clickhouse, { projectId, ids: [id], columns: null, ...sizes })).length;
    },
  },
  {
    name: 'one call by id, the way the SDKs read it',
    aimMs: 20,
    ask: (store, i) => countRead(store, { filter: { call_ids: [scattered(store, i).id] }, sortBy: null, limit: null }),
  },
  {
    name: '50 scattered calls by id',
    aimMs: 200,
    ask: (store, i) => {
      const ids = Array.from({ length: 50 }, (_, n) => scattered(store, i * 50 + n).id);
      return countRead(store, { filter: { call_ids: ids } });
    },
  },
  {
    name: 'a trace of 12',
    aimMs: 50,
    ask: (store, i) =>
      countRead(store, { filter: { trace_ids: [scattered(store, i).traceId] }, sortBy: null, limit: null }),
  },
]);

function scattered({ calls }: Pick<BenchStore, 'calls'>, i: number) {
  return nthCall((i * 7919 * 13 + 977) % calls, calls);
}
