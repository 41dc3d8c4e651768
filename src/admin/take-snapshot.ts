import type { Models } from '../store/models/models.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { StoreState } from '../store/store-states.ts';
import { version } from '../util/version.ts';
import type { AdminContext } from './admin-context.ts';
import { type VllmServerLine, vllmServerLines } from './vllm-server-lines.ts';

/** What `heddle top` shows. Counts grow from the start of the server; two of them give a rate. */
export type TopSnapshot = {
  version: string;
  /** Milliseconds since 1970. */
  at: number;
  uptimeSeconds: number;
  models: TopModel[];
  requests: number;
  callParts: number;
  queries: { running: number; count: number; seconds: number };
  residentBytes: number;
  diskFreeBytes: number;
  stores: StoreState[];
  jobs: { kind: string; state: string; count: number }[];
  /** The processes that share the stores; null for one that is alone. Times are in milliseconds since 1970. */
  peers: {
    processes: {
      name: string;
      startedAt: number;
      isThis: boolean;
      /** The names of its open models. */
      models: string[];
    }[];
    leases: { name: string; process: string }[];
    lockWaits: number;
  } | null;
  vllmServers: VllmServerLine[];
};

type TopModel = {
  name: string;
  running: number;
  waiting: number;
  /** From 0 to 1. */
  cacheUse: number;
  residentBytes: number;
  promptTokens: number;
  cachedTokens: number;
  generatedTokens: number;
  firstToken: { count: number; seconds: number };
  betweenTokens: { count: number; seconds: number };
};

const names = [
  'vllm:num_requests_running',
  'vllm:num_requests_waiting',
  'vllm:kv_cache_usage_perc',
  'vllm:prompt_tokens_total',
  'vllm:prefix_cache_hits_total',
  'vllm:generation_tokens_total',
  'vllm:time_to_first_token_seconds_sum',
  'vllm:time_to_first_token_seconds_count',
  'vllm:inter_token_latency_seconds_sum',
  'vllm:inter_token_latency_seconds_count',
  'heddle_model_resident_memory_bytes',
  'heddle_http_requests_total',
  'heddle_call_parts_total',
  'heddle_queries_running',
  'heddle_query_duration_seconds_sum',
  'heddle_query_duration_seconds_count',
  'heddle_disk_free_bytes',
  'heddle_jobs',
  'process_resident_memory_bytes',
] as const;

type Name = (typeof names)[number];

export async function takeSnapshot({
  metrics,
  health,
  storeStates,
  peers,
  models,
  vllmServers,
}: Pick<
  AdminContext,
  'metrics' | 'health' | 'storeStates' | 'peers' | 'models' | 'vllmServers'
>): Promise<TopSnapshot> {
  const found = await metrics.read(names);
  const of = (name: Name, labels = ''): number => found.get(name)?.get(labels) ?? 0;
  const sum = (name: Name): number => [...(found.get(name)?.values() ?? [])].reduce((total, each) => total + each, 0);
  const labelsOf = (name: Name): string[] => [...(found.get(name)?.keys() ?? [])];
  const times = (name: 'time_to_first_token' | 'inter_token_latency', model: string) => ({
    count: of(`vllm:${name}_seconds_count`, model),
    seconds: of(`vllm:${name}_seconds_sum`, model),
  });
  return {
    version,
    at: Date.now(),
    uptimeSeconds: process.uptime(),
    models: labelsOf('vllm:num_requests_running').map((name) => ({
      name,
      running: of('vllm:num_requests_running', name),
      waiting: of('vllm:num_requests_waiting', name),
      cacheUse: of('vllm:kv_cache_usage_perc', name),
      residentBytes: of('heddle_model_resident_memory_bytes', name),
      promptTokens: of('vllm:prompt_tokens_total', name),
      cachedTokens: of('vllm:prefix_cache_hits_total', name),
      generatedTokens: of('vllm:generation_tokens_total', name),
      firstToken: times('time_to_first_token', name),
      betweenTokens: times('inter_token_latency', name),
    })),
    requests: sum('heddle_http_requests_total'),
    callParts: sum('heddle_call_parts_total'),
    queries: {
      running: sum('heddle_queries_running'),
      count: sum('heddle_query_duration_seconds_count'),
      seconds: sum('heddle_query_duration_seconds_sum'),
    },
    residentBytes: of('process_resident_memory_bytes'),
    diskFreeBytes: of('heddle_disk_free_bytes'),
    stores: storeStates(health.problems()),
    jobs: labelsOf('heddle_jobs').map((labels) => {
      const [kind, state] = labels.split(' ') as [string, string];
      return { kind, state, count: of('heddle_jobs', labels) };
    }),
    peers: await overviewOf(peers, models),
    vllmServers: vllmServerLines(await vllmServers()),
  };
}

async function overviewOf(peers: Peers, models: Pick<Models, 'list'>): Promise<TopSnapshot['peers']> {
  const found = await peers.overview().catch(() => null); // PostgreSQL may be away
  if (found === null) return null;
  const names = new Map((await models.list().catch(() => [])).map(({ id, name }) => [id, name]));
  const processes = found.processes.map(({ name, startedAt, isThis, offer }) => ({
    ...{ name, isThis },
    startedAt: startedAt.getTime(),
    models: (offer?.open ?? []).map(({ id }) => names.get(id) ?? id),
  }));
  return { ...found, processes };
}
