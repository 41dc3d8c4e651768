import type { Adapter } from '../adapters/adapter.ts';
import { linearLayers } from '../adapters/linear-layers.ts';
import type { ModelConfig } from '../models/config.ts';

/** An adapter of all linear layers that changes the output of a small model considerably. The same seed gives the same weights. */
export function randomAdapter(config: ModelConfig, { seed = 1, rank = 4, size = 0.15 } = {}): Adapter {
  let state = Math.imul(seed, 2_654_435_761);
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (2 * state) / 2 ** 32 - 1;
  };
  const values = (length: number) => Float32Array.from({ length }, () => size * random());
  const modules = [...linearLayers(config)].map(
    ([name, { inSize, outSize }]) => [name, { a: values(rank * inSize), b: values(outSize * rank) }] as const,
  );
  return { rank, alpha: 2 * rank, rslora: false, modules: new Map(modules), baseModel: null };
}
