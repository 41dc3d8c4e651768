import type { MemoryBudget } from '../engine/memory/memory-budget.ts';
import type { Inference } from '../inference/inference.ts';
import type { VllmServerState } from '../inference/vllm/servers/vllm-servers.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { BaseNames } from '../metrics/base-names.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Disk } from '../store/disk/disk.ts';
import type { WatchedStore } from '../store/opened-store.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { StoreHealth } from '../store/store-health.ts';
import { storeStates } from '../store/store-states.ts';

/** How long the numbers wait for a model that is busy with a step. */
const modelAnswerMsMax = 1_000;

type Parts = {
  inference: Inference;
  baseNames: BaseNames;
  memory: MemoryBudget;
  stores: WatchedStore[];
  health: StoreHealth;
  disk: Disk;
  jobs: Jobs;
  peers: Peers;
  vllmServers(): Promise<VllmServerState[]>;
};

/** Gives the metrics what they report when they are read. */
export function answerMetrics(metrics: Metrics, parts: Parts): void {
  const { inference, baseNames, memory, stores, health, disk, jobs, peers, vllmServers } = parts;
  metrics.ask({
    models: async () => baseNames.label(await inference.load(modelAnswerMsMax)),
    server: async () => ({
      stores: storeStates(stores, health.problems()),
      disk: { freeBytes: disk.freeBytes(), reserveBytes: disk.reserveBytes, isShort: disk.isShort() },
      jobs: await jobs.count(),
      peers: await peers.overview().catch(() => null), // PostgreSQL may be away
      modelMemory: memory,
      vllmServers: await vllmServers(),
    }),
  });
}
