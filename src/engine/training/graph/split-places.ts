import type { ModelConfig } from '../../models/config.ts';
import type { WeightPlace } from '../../models/weight-layout.ts';

/**
 * Inference fuses layers that read the same input. A gradient would have to be put together again for each, so training
 * uses the parts: rows of the same file.
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
