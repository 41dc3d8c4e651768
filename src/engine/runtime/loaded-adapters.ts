import { Tensor } from 'onnxruntime-node';
import type { AdapterId } from '../adapter-id.ts';
import type { AdapterLayout } from '../adapters/layout.ts';
import type { PackedAdapter } from '../adapters/pack.ts';
import { weightsName } from '../graphs/adapters.ts';
import { AdaptersSideBySide, type BatchAdapters } from './adapters-side-by-side.ts';

/** The loaded adapters of a model, and the inputs of runs that use them. */
export class LoadedAdapters {
  readonly #layout: AdapterLayout;
  readonly #adapters = new Map<AdapterId, PackedAdapter>();
  readonly #joined: AdaptersSideBySide;
  readonly #unused: Record<string, Tensor>;

  constructor(layout: AdapterLayout) {
    this.#layout = layout;
    this.#joined = new AdaptersSideBySide(layout);
    const none = new Tensor('float32', new Float32Array(0), [0, layout.width]);
    this.#unused = { usesAdapters: new Tensor('bool', [false], []), ...this.#weights(() => none) };
  }

  add(id: AdapterId, adapter: PackedAdapter): void {
    this.#adapters.set(id, adapter);
  }

  /** Call it when no sequence uses the adapter any more. */
  remove(id: AdapterId): void {
    this.#adapters.delete(id);
    this.#joined.remove(id);
  }

  /** The inputs of a run. @param batch the adapter of each sequence */
  feeds(batch: (AdapterId | null)[]): Record<string, Tensor> {
    const used = [...new Set(batch)].filter((id) => id !== null);
    if (used.length === 0) return { ...this.#unused, adapterRanks: ranks(new Float32Array(0), batch.length) };
    const { width } = this.#layout;
    const { rank, layer, placeOf } = used.length === 1 ? this.#alone(used[0]!) : this.#joined.take(this.#all(used));
    const own = new Float32Array(batch.length * rank);
    for (const [i, id] of batch.entries()) {
      if (id === null) continue;
      const { first, count } = placeOf(id);
      own.fill(1, i * rank + first, i * rank + first + count);
    }
    return {
      usesAdapters: new Tensor('bool', [true], []),
      adapterRanks: ranks(own, batch.length),
      ...this.#weights((i) => new Tensor('float32', layer(i), [rank, width])),
    };
  }

  #weights(tensorOf: (layer: number) => Tensor): Record<string, Tensor> {
    const layers = Array.from({ length: this.#layout.layers }, (_, layer) => layer);
    return Object.fromEntries(layers.map((layer) => [weightsName(`layers.${layer}`), tensorOf(layer)]));
  }

  #alone(id: AdapterId): BatchAdapters {
    const { rank, weights } = this.#find(id);
    const size = rank * this.#layout.width;
    return {
      rank,
      layer: (i) => weights.subarray(i * size, (i + 1) * size),
      placeOf: () => ({ first: 0, count: rank }),
    };
  }

  #all(ids: AdapterId[]): Map<AdapterId, PackedAdapter> {
    return new Map(ids.map((id) => [id, this.#find(id)]));
  }

  #find(id: AdapterId): PackedAdapter {
    const adapter = this.#adapters.get(id);
    if (adapter === undefined) throw new Error(`the adapter ${id} is not loaded`);
    return adapter;
  }
}

function ranks(own: Float32Array, sequences: number): Tensor {
  return new Tensor('float32', own, [sequences, 1, own.length / sequences]);
}
