import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ModelLoad } from '../inference/observer.ts';
import { type InferenceMetrics, inferenceMetrics } from './inference.ts';
import { type RequestMetrics, requestMetrics } from './requests.ts';
import { type ServerState, serverMetrics } from './server.ts';
import { type StoreMetrics, storeMetrics } from './stores.ts';
import { vllmServerMetrics } from './vllm-servers.ts';

/**
 * The numbers of a server, for Prometheus and `heddle top`. Their labels are endpoints, statuses, kinds, base models and vLLM
 * servers that are set: no label has a user, a project or anything else that requests bring, so their count is bounded.
 */
export type Metrics = RequestMetrics & {
  /** Says what to ask when the numbers are read. */
  ask(sources: Sources): void;
  observe: InferenceMetrics['observe'];
  countForwarded: InferenceMetrics['countForwarded'];
  stores: StoreMetrics;
  /** All numbers as Prometheus reads them. */
  text(): Promise<string>;
  mediaType: string;
  /** The values of some of them, by name and label values joined with a space. */
  read(names: readonly string[]): Promise<Map<string, Map<string, number>>>;
  close(): void;
};

/** What is asked when the numbers are read. */
type Sources = {
  /** By the names of base models. */
  models(): Promise<ReadonlyMap<string, ModelLoad>>;
  server(): Promise<ServerState>;
};

export function openMetrics(): Metrics {
  let sources: Sources | null = null;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const inference = inferenceMetrics(registry);
  const showServer = serverMetrics(registry);
  const showVllmServers = vllmServerMetrics(registry);
  const stores = storeMetrics(registry);
  const requests = requestMetrics(registry);

  async function refresh(): Promise<void> {
    if (sources === null) return;
    const [loads, state] = await Promise.all([sources.models(), sources.server()]);
    inference.show(loads);
    showServer(state);
    showVllmServers(state.vllmServers);
  }

  return {
    ask(from) {
      sources = from;
    },
    observe: inference.observe,
    countForwarded: inference.countForwarded,
    stores,
    ...requests,
    mediaType: registry.contentType,
    async text() {
      await refresh();
      return registry.metrics();
    },
    async read(names) {
      await refresh();
      const found = new Map<string, Map<string, number>>();
      for (const metric of await registry.getMetricsAsJSON()) {
        for (const each of metric.values) {
          const name = ('metricName' in each && (each.metricName as string)) || metric.name;
          if (!names.includes(name)) continue;
          const values = found.get(name) ?? new Map<string, number>();
          found.set(name, values.set(Object.values(each.labels).join(' '), each.value));
        }
      }
      return found;
    },
    close: () => registry.clear(),
  };
}
