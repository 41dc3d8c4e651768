import type { ChatLimits } from '../../chat/types.ts';
import type { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import { type HostClient, type HostClientOptions, openHost } from '../hosts/host-client.ts';
import { grantMemory } from './host-memory.ts';

type OwnHost = {
  path: string;
  /** The directory of the weights in their memory-mapped form. */
  cacheDirectory: string;
  limits: ChatLimits;
};

/** Starts a process that runs a model on this machine. @throws Failure with the reason */
export function openOwnHost(
  { path, cacheDirectory, limits }: OwnHost,
  { memory, ...options }: Omit<HostClientOptions, 'path' | 'limits' | 'limitedBy' | 'open'> & { memory: MemoryBudget },
): Promise<HostClient> {
  return openHost({
    ...{ path, limits, limitedBy: 'chatRunningMax, chatWaitingMax', ...options },
    async open(worker, holds) {
      const measured = await worker.request('inspect', { path, limits });
      const granted = await grantMemory(worker, options.name, measured, memory);
      holds(granted);
      const { contextMax, cacheBytesMax } = granted.plan;
      await worker.request('open', {
        textPath: path,
        limits,
        engine: { kind: 'own', path, cacheDirectory, contextMax, cacheBytesMax },
      });
    },
  });
}
