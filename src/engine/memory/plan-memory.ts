import { humanBytes } from '../../util/human-bytes.ts';
import { graphWeights } from '../graphs/weights.ts';
import type { ModelConfig } from '../models/config.ts';
import { elementCount } from '../models/weight-source.ts';
import { cacheBytes } from './kv-cache.ts';

/** Thrown before a model is loaded that memory would not hold. */
export class ModelTooLargeError extends Error {
  override name = 'ModelTooLargeError';
}

export type MemoryPlan = { weightBytes: number; contextMax: number; cacheBytesMax: number };

/** Besides weights and caches: what the values between layers take, the runtime, and logits on their way. */
const overheadBytes = 300 * 1024 ** 2;

/** A context below which a model is of little use; a smaller one is taken only when asked for. */
const usefulContext = 2048;

/**
 * How much of the free memory a model takes.
 * @throws ModelTooLargeError where it is not enough for the weights and one sequence
 */
export function planMemory(
  config: ModelConfig,
  freeBytes: number,
  wanted: { contextMax?: number; cacheBytesMax?: number },
): MemoryPlan {
  const weightBytes = 4 * graphWeights(config).reduce((sum, { shape }) => sum + elementCount(shape), 0);
  const tokenBytes = cacheBytes({ ...config, layers: config.layers.length }, 1);
  const forCaches = Math.min(freeBytes - weightBytes - overheadBytes, wanted.cacheBytesMax ?? Number.POSITIVE_INFINITY);
  const contextLeast = Math.min(wanted.contextMax ?? usefulContext, config.contextMax);
  if (contextLeast * tokenBytes > forCaches) {
    throw new ModelTooLargeError(tooLargeMessage({ weightBytes, tokenBytes, contextLeast, freeBytes, wanted }));
  }
  const contextFitting = Math.max(contextLeast, Math.floor(forCaches / 2 / tokenBytes));
  const contextMax = Math.min(wanted.contextMax ?? contextFitting, config.contextMax);
  const shareBytes = Math.max(Math.floor(forCaches / 2), contextMax * tokenBytes);
  return { weightBytes, contextMax, cacheBytesMax: wanted.cacheBytesMax ?? shareBytes };
}

/** What a process may still take, by the machine and by the limits set for it. */
export function freeMemory(): number {
  return process.availableMemory();
}

function tooLargeMessage(sizes: {
  weightBytes: number;
  tokenBytes: number;
  contextLeast: number;
  freeBytes: number;
  wanted: { cacheBytesMax?: number };
}): string {
  const { weightBytes, tokenBytes, contextLeast, freeBytes, wanted } = sizes;
  const contextBytes = contextLeast * tokenBytes;
  const limit = wanted.cacheBytesMax;
  if (limit !== undefined && contextBytes > limit) {
    return `The cache of one sequence of ${contextLeast} tokens takes ${humanBytes(contextBytes)}, more than the ${humanBytes(limit)} set for all caches. Allow more, or a shorter context.`;
  }
  const parts = [
    `${humanBytes(weightBytes)} for its weights in f32`,
    `${humanBytes(contextBytes)} for the cache of one sequence of ${contextLeast} tokens`,
    `${humanBytes(overheadBytes)} for what is computed on the way`,
  ];
  const total = humanBytes(weightBytes + contextBytes + overheadBytes);
  return `The model does not fit into memory: it takes ${parts.join(', ')}, ${total} in all, and ${humanBytes(freeBytes)} are free. Free some memory, or take a smaller model or a shorter context.`;
}
