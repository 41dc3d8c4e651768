import { type Adapter, adapterScale } from './adapter.ts';
import { type AdapterLayout, moduleName } from './layout.ts';

/** The weights of an adapter as the graph reads them: the matrices of all layers, one after the other. */
export type PackedAdapter = { rank: number; weights: Float32Array };

/** The scale is part of `b`. Modules that the adapter leaves out are zeros. */
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
