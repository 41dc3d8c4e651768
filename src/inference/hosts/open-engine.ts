import { availableParallelism } from 'node:os';
import type { ChatLimits } from '../../chat/types.ts';
import type { Arithmetic } from '../../engine/graphs/grouped-linear.ts';
import type { MemoryPlan } from '../../engine/memory/plan-memory.ts';
import { weightsDigest } from '../../engine/models/weights-digest.ts';
import { version } from '../../util/version.ts';
import type { VllmStart } from '../vllm/engine/vllm-engine.ts';
import type { OpenedEngine } from './host-engine.ts';
import { preparations } from './preparations.ts';

/** Which engine computes the tokens of a model, and what it needs to start. */
export type EngineStart =
  | ({ kind: 'own'; path: string; cacheDirectory: string } & Pick<MemoryPlan, 'contextMax' | 'cacheBytesMax'>)
  | ({ kind: 'vllm' } & VllmStart);

/** Quantized weights are multiplied differently for many rows than for few, which depends on other requests. */
export function arithmeticOf({ batchInvariant, quantizedArithmetic }: ChatLimits): Arithmetic {
  return batchInvariant ? 'widened' : quantizedArithmetic;
}

/** @param onLost called when the engine fails without having been closed */
export async function openEngine(
  limits: ChatLimits,
  start: EngineStart,
  onLost: (cause: Error) => void,
): Promise<OpenedEngine> {
  if (start.kind === 'vllm') {
    const { VllmEngine } = await import('../vllm/engine/vllm-engine.ts');
    const engine = await VllmEngine.open(start, limits);
    return { engine, version: () => engine.version, weightsDigest: null };
  }
  const { Engine } = await import('../../engine/engine.ts');
  const { path, cacheDirectory, contextMax, cacheBytesMax } = start;
  const { runningMax, waitingMax, batchInvariant, guessMax, adapters } = limits;
  const arithmetic = arithmeticOf(limits);
  const opening = Engine.open(
    path,
    { cacheDirectory, contextMax, cacheBytesMax, arithmetic, onLost },
    { runningMax, waitingMax, batchInvariant, guessMax, adapters, trials: preparations(limits) },
  );
  const [engine, digest] = await Promise.allSettled([opening, weightsDigest(path, cacheDirectory)]);
  if (engine.status === 'rejected') throw engine.reason;
  if (digest.status === 'rejected') {
    await engine.value.close();
    throw digest.reason;
  }
  const about = { name: 'heddle', version, arithmetic, threads: availableParallelism(), batchInvariant } as const;
  return { engine: engine.value, version: () => about, weightsDigest: digest.value };
}
