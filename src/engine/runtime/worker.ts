import { Transferring } from '../../util/workers/messages.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import type { AdapterId } from '../adapter-id.ts';
import type { PackedAdapter } from '../adapters/pack.ts';
import type { MemoryPlan } from '../memory/plan-memory.ts';
import type { ModelConfig } from '../models/config.ts';
import type { KeptPart } from './kv-cache.ts';
import { openSession } from './open-session.ts';
import type { RunContext } from './run.ts';
import { step } from './step.ts';
import type { OpenOptions, StepRequest, StepResult } from './types.ts';

let context: RunContext | null = null;

const handlers = {
  async open({ path, options }: { path: string; options: Omit<OpenOptions, 'onLost'> }): Promise<{
    config: ModelConfig;
    plan: MemoryPlan;
    isApproximate: boolean;
  }> {
    const opened = await openSession(path, options);
    context = opened.context;
    return { config: context.config, plan: opened.plan, isApproximate: opened.isApproximate };
  },

  async step(requests: StepRequest[]): Promise<Transferring<StepResult[]>> {
    const results = await step(context!, requests);
    return new Transferring(results, buffersOf(results));
  },

  fork: ({ from, to, length }: { from: number; to: number; length: number }): boolean =>
    context!.cache.fork(from, to, length),

  keep: ({ sequence, ...kept }: { sequence: number; id: number; first: number; count: number }): boolean =>
    context!.cache.keep(sequence, kept),

  resume: ({ sequence, parts }: { sequence: number; parts: KeptPart[] }): boolean =>
    context!.cache.resume(sequence, parts),

  splitKept: ({ id, count, restId }: { id: number; count: number; restId: number }): void =>
    context!.cache.splitKept(id, count, restId),

  dropKept: (id: number): void => context!.cache.dropKept(id),

  release: (sequence: number): void => context!.cache.release(sequence),

  limitCache: (bytesMax: number): number => context!.cache.limit(bytesMax),

  cacheBytes: (): number => context!.cache.bytes,

  addAdapter: ({ id, adapter }: { id: AdapterId; adapter: PackedAdapter }): void => context!.adapters.add(id, adapter),

  removeAdapter: (id: AdapterId): void => context!.adapters.remove(id),
};

export type ModelThread = typeof handlers;

/** The thread of a model. It handles one request at a time, because caches must not move while the graph runs. */
serveRequests(handlers, {
  order: 'sequence',
  async onClose() {
    await context?.session.release();
    context?.embedding.close();
  },
});

function buffersOf(results: StepResult[]): ArrayBuffer[] {
  const arrays = results.flatMap((result) => Object.values(result).filter((value) => typeof value === 'object'));
  return [...new Set(arrays.map((array) => array.buffer as ArrayBuffer))];
}
