import { timeBuckets } from '../src/domain/stats/time-buckets.ts';
import { measureCalls } from '../src/store/clickhouse/stats/call-stats.ts';
import { measureUsage } from '../src/store/clickhouse/stats/usage-stats.ts';
import { readThreads } from '../src/store/clickhouse/threads/read-threads.ts';
import { askOfStores, type BenchStore } from './support/reads.ts';
import { newest, projectId, projectName } from './support/store.ts';

/** How soon the charts of a project are there: calls and tokens by the hour over 30 days, and its threads. */
const buckets = timeBuckets(newest - 30 * 86_400e6, newest + 1e6, 3600);
const scope = { projectId, projectName, buckets, filter: null, query: null, groups: null };
const sum = { aggregations: ['sum' as const], percentiles: [] };

await askOfStores(import.meta, [
  { name: 'calls, errors and latencies by the hour', aimMs: 300, ask: countCallBuckets },
  { name: 'tokens by the hour and model', aimMs: 300, ask: countUsageBuckets },
  {
    name: 'both at once',
    aimMs: 300,
    ask: async (store) => (await Promise.all([countCallBuckets(store), countUsageBuckets(store)]))[1],
  },
  { name: 'newest 50 threads', aimMs: 300, ask: (store) => countThreads(store, 50) },
  { name: 'all threads', aimMs: 1000, times: 10, ask: (store) => countThreads(store, null) },
]);

async function countCallBuckets({ clickhouse }: BenchStore): Promise<number> {
  const measured = await measureCalls(clickhouse, scope, [
    { metric: 'call_count', ...sum },
    { metric: 'error_count', ...sum },
    { metric: 'latency_ms', aggregations: ['avg'], percentiles: [50, 95, 99] },
  ]);
  return measured.length;
}

async function countUsageBuckets({ clickhouse }: BenchStore): Promise<number> {
  const metrics = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;
  const wanted = [...metrics, 'total_tokens' as const].map((metric) => ({ metric, ...sum }));
  return (await measureUsage(clickhouse, { ...scope, wanted, limit: 100_000 })).length;
}

async function countThreads({ clickhouse }: BenchStore, limit: number | null): Promise<number> {
  let count = 0;
  for await (const page of readThreads(clickhouse, { projectId, filter: null, sortBy: null, limit, offset: null })) {
    count += page.length;
  }
  return count;
}
