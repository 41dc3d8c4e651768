import type { MemoryBudget, MemoryGrant } from '../../engine/memory/memory-budget.ts';
import { type MeasuredModel, type MemoryPlan, planMemory } from '../../engine/memory/plan-memory.ts';
import type { WorkerClient } from '../../util/workers/worker-client.ts';
import type { HostMemory } from '../hosts/host-client.ts';
import type { ModelHost } from '../hosts/serve-host.ts';

/** The share of the memory budget that a model's process holds. */
export type GrantedMemory = HostMemory & { plan: MemoryPlan };

/**
 * Memory that others do not need now counts as free, so that the model is as large beside them as without them.
 * @throws ModelTooLargeError if the budget does not have enough free
 */
export async function grantMemory(
  worker: WorkerClient<ModelHost>,
  name: string,
  model: MeasuredModel,
  budget: MemoryBudget,
): Promise<GrantedMemory> {
  while (true) {
    const plan = planMemory(model, budget.availableBytes, {});
    if (plan.bytes <= budget.freeBytes) return hostMemory(worker, plan, budget.grant(name, plan.bytes), budget);
    await budget.freeIdle();
  }
}

function hostMemory(
  worker: WorkerClient<ModelHost>,
  plan: MemoryPlan,
  grant: MemoryGrant,
  budget: MemoryBudget,
): GrantedMemory {
  const fixedBytes = plan.bytes - plan.cacheBytesMax;
  let cacheBytes = plan.cacheBytesMax;
  let isGivingBack = false;

  return {
    plan,
    async giveBackCaches() {
      isGivingBack = true;
      try {
        cacheBytes = await worker.request('limitCaches', { bytesMax: plan.cacheBytesMin, forgetsPrompts: true });
        grant.resize(fixedBytes + cacheBytes);
      } finally {
        isGivingBack = false;
      }
    },
    growCaches() {
      if (isGivingBack || cacheBytes === plan.cacheBytesMax) return;
      const moreBytes = Math.min(plan.cacheBytesMax - cacheBytes, Math.floor(budget.freeBytes / 2));
      if (moreBytes === 0) return;
      cacheBytes += moreBytes;
      grant.resize(fixedBytes + cacheBytes);
      worker.request('limitCaches', { bytesMax: cacheBytes, forgetsPrompts: false }).catch(() => {}); // its end is reported elsewhere
    },
    release: grant.release,
  };
}
