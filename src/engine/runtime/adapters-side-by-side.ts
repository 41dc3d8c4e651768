import type { AdapterId } from '../adapter-id.ts';
import type { AdapterLayout } from '../adapters/layout.ts';
import type { PackedAdapter } from '../adapters/pack.ts';

/** The adapters of a batch: a matrix `[rank, width]` for each layer, and the rows of each adapter. */
export type BatchAdapters = {
  rank: number;
  layer(index: number): Float32Array;
  placeOf(id: AdapterId): Place;
};

type Place = { first: number; count: number };

/** If a larger share of the rows belongs to adapters that a batch does not use, the matrices are rebuilt. */
const idleShareMax = 0.5;

/**
 * The stacked weights of several adapters, for batches. They are copied once: later batches of the same adapters, or of some
 * of them, use the same matrices.
 */
export class AdaptersSideBySide {
  readonly #layout: AdapterLayout;
  #adapters: ReadonlyMap<AdapterId, PackedAdapter> = new Map();
  #places = new Map<AdapterId, Place>();
  #layers: Float32Array[] = [];

  constructor(layout: AdapterLayout) {
    this.#layout = layout;
  }

  take(adapters: ReadonlyMap<AdapterId, PackedAdapter>): BatchAdapters {
    const ids = [...adapters.keys()];
    const rowsMax = rowsOf(adapters) / (1 - idleShareMax);
    let span = this.#span(ids);
    if (span === null || span.end - span.first > rowsMax) {
      // Batches of different slots alternate, so they share the matrices unless these become too long.
      const withOthers = new Map([...adapters, ...this.#adapters]);
      this.#join(span === null && rowsOf(withOthers) <= rowsMax ? withOthers : adapters);
      span = this.#span(ids)!;
    }
    const { first, end } = span;
    const { width } = this.#layout;
    const places = this.#places;
    return {
      rank: end - first,
      layer: (index) => this.#layers[index]!.subarray(first * width, end * width),
      placeOf(id) {
        const place = places.get(id)!;
        return { first: place.first - first, count: place.count };
      },
    };
  }

  remove(id: AdapterId): void {
    if (!this.#places.has(id)) return;
    this.#adapters = new Map();
    this.#places = new Map();
    this.#layers = [];
  }

  /** The range of rows that contains these adapters; null if one is missing. */
  #span(ids: AdapterId[]): { first: number; end: number } | null {
    const places = ids.map((id) => this.#places.get(id));
    if (places.includes(undefined)) return null;
    const found = places as Place[];
    return {
      first: Math.min(...found.map(({ first }) => first)),
      end: Math.max(...found.map(({ first, count }) => first + count)),
    };
  }

  #join(adapters: ReadonlyMap<AdapterId, PackedAdapter>): void {
    const { layers, width } = this.#layout;
    this.#adapters = adapters;
    this.#places = new Map();
    let rank = 0;
    for (const [id, adapter] of adapters) {
      this.#places.set(id, { first: rank, count: adapter.rank });
      rank += adapter.rank;
    }
    this.#layers = Array.from({ length: layers }, (_, layer) => {
      const joined = new Float32Array(rank * width);
      for (const [id, adapter] of adapters) {
        const size = adapter.rank * width;
        joined.set(adapter.weights.subarray(layer * size, (layer + 1) * size), this.#places.get(id)!.first * width);
      }
      return joined;
    });
  }
}

function rowsOf(adapters: ReadonlyMap<AdapterId, PackedAdapter>): number {
  return [...adapters.values()].reduce((sum, { rank }) => sum + rank, 0);
}
