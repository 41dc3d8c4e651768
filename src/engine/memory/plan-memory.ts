import { humanBytes } from '../../util/human-bytes.ts';
import type { ModelConfig } from '../models/config.ts';
import { cacheBytes } from '../runtime/kv-cache.ts';
import type { WeightMemory } from './weight-memory.ts';

/** The model does not fit into memory. */
export class ModelTooLargeError extends Error {
  override name = 'ModelTooLargeError';
}

/** The configuration of a model, and the memory of its weights. */
export type MeasuredModel = { config: ModelConfig; weightMemory: WeightMemory };

export type MemoryPlan = {
  /** The total: weights, caches and computed values. */
  bytes: number;
  contextMax: number;
  cacheBytesMax: number;
  /** The memory of one sequence, which is the smallest possible cache. */
  cacheBytesMin: number;
};

/** Memory besides weights and caches: activations, the runtime, and logits in transit. */
const overheadBytes = 300 * 1024 ** 2;

/** A shorter context is of little use, so models get one only if the options ask for it. */
const usefulContext = 2048;

/**
 * Plans the memory of a model: its weights, and half of the rest for its caches.
 * @throws ModelTooLargeError if the weights and one sequence do not fit
 */
export function planMemory(
  { config, weightMemory }: MeasuredModel,
  freeBytes: number,
  wanted: { contextMax?: number; cacheBytesMax?: number },
): MemoryPlan {
  const weightBytes = weightMemory.bytes;
  const tokenBytes = cacheBytes({ ...config, layers: config.layers.length }, 1);
  const forCaches = Math.min(freeBytes - weightBytes - overheadBytes, wanted.cacheBytesMax ?? Number.POSITIVE_INFINITY);
  const contextLeast = Math.min(wanted.contextMax ?? usefulContext, config.contextMax);
  if (contextLeast * tokenBytes > forCaches) {
    throw new ModelTooLargeError(tooLargeMessage({ weightMemory, tokenBytes, contextLeast, freeBytes, wanted }));
  }
  const contextFitting = Math.max(contextLeast, Math.floor(forCaches / 2 / tokenBytes));
  const contextMax = Math.min(wanted.contextMax ?? contextFitting, config.contextMax);
  const shareBytes = Math.max(Math.floor(forCaches / 2), contextMax * tokenBytes);
  const cacheBytesMax = wanted.cacheBytesMax ?? shareBytes;
  const bytes = weightBytes + overheadBytes + cacheBytesMax;
  return { bytes, contextMax, cacheBytesMax, cacheBytesMin: contextMax * tokenBytes };
}

/** The memory that a process may still use, given the free memory of the machine and its limits. */
export function freeMemory(): number {
  return process.availableMemory();
}

function tooLargeMessage(sizes: {
  weightMemory: WeightMemory;
  tokenBytes: number;
  contextLeast: number;
  freeBytes: number;
  wanted: { cacheBytesMax?: number };
}): string {
  const { weightMemory, tokenBytes, contextLeast, freeBytes, wanted } = sizes;
  const weightBytes = weightMemory.bytes;
  const contextBytes = contextLeast * tokenBytes;
  const limit = wanted.cacheBytesMax;
  if (limit !== undefined && contextBytes > limit) {
    return `The cache of one sequence of ${contextLeast} tokens needs ${humanBytes(contextBytes)}, more than the ${humanBytes(limit)} set for all caches. Allow more, or use a shorter context.`;
  }
  const parts = [
    `${humanBytes(weightBytes)} for its ${weightMemory.areQuantised ? 'quantised weights' : 'weights in f32'}`,
    `${humanBytes(contextBytes)} for the cache of one sequence of ${contextLeast} tokens`,
    `${humanBytes(overheadBytes)} for computed values`,
  ];
  const total = humanBytes(weightBytes + contextBytes + overheadBytes);
  return `The model does not fit into memory: it needs ${parts.join(', ')}, ${total} in total, and ${humanBytes(freeBytes)} are free. Free some memory, or use a smaller model or a shorter context.`;
}
