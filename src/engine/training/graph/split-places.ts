import type { ModelConfig } from '../../models/config.ts';
import type { WeightPlace } from '../../models/weight-layout.ts';

/**
 * Inference combines layers with the same input. Training uses the separate layers, whose rows are in the same file, because
 * gradients of combined layers would have to be concatenated first.
 */
export function splitPlaces(
  config: ModelConfig,
  places: ReadonlyMap<string, WeightPlace>,
): ReadonlyMap<string, WeightPlace> {
  const { heads, kvHeads, headDim, feedForwardSize } = config;
  const split = new Map(places);
  const add = (fused: string, parts: Record<string, number>) => {
    for (const suffix of ['', '.bias']) {
      const whole = places.get(`${fused}${suffix}`);
      if (whole?.kind !== 'f32') continue;
      const [, ...rowShape] = whole.shape;
      let { offset } = whole;
      for (const [name, rows] of Object.entries(parts)) {
        split.set(`${name}${suffix}`, { ...whole, offset, shape: [rows, ...rowShape] });
        offset += 4 * rows * (rowShape[0] ?? 1);
      }
    }
  };
  for (const i of config.layers.keys()) {
    const prefix = `layers.${i}`;
    const [q, kv] = [heads * headDim, kvHeads * headDim];
    add(`${prefix}.qkv`, { [`${prefix}.q`]: q, [`${prefix}.k`]: kv, [`${prefix}.v`]: kv });
    add(`${prefix}.gateUp`, { [`${prefix}.gate`]: feedForwardSize, [`${prefix}.up`]: feedForwardSize });
  }
  return split;
}
