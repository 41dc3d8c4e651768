import { type Adapter, adapterScale } from './adapter.ts';
import { type AdapterLayout, moduleName } from './layout.ts';

/** The weights of an adapter in the form that the graph reads: the matrices of all layers in order. */
export type PackedAdapter = { rank: number; weights: Float32Array };

/** Multiplies `b` by the scale. Modules without weights are zeros. */
export function packAdapter(adapter: Adapter, { layers, width, linear }: AdapterLayout): PackedAdapter {
  const { rank, modules } = adapter;
  const scale = adapterScale(adapter);
  const weights = new Float32Array(layers * rank * width);
  for (let layer = 0; layer < layers; layer++) {
    for (const { inSize, a, parts } of linear.values()) {
      for (const [i, { module, outSize, b }] of parts.entries()) {
        const found = modules.get(moduleName(layer, module));
        if (found === undefined) continue;
        for (let r = 0; r < rank; r++) {
          const row = (layer * rank + r) * width;
          weights.set(found.a.subarray(r * inSize, (r + 1) * inSize), row + a + i * inSize);
          for (let j = 0; j < outSize; j++) weights[row + b + j] = scale * found.b[j * rank + r]!;
        }
      }
    }
  }
  return { rank, weights };
}
