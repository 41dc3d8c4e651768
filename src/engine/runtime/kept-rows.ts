import type { CacheEntry, CacheShape } from './kv-cache.ts';

/** Keys and values of some tokens, `[layers, keys and values, kv heads, count, head dim]`. */
type Kept = { count: number; data: Float32Array };

/** Keys and values outside the slots of the cache. Runs do not read them, so they have no unused rows. */
export class KeptRows {
  readonly #shape: CacheShape;
  readonly #kept = new Map<number, Kept>();
  bytes = 0;

  constructor(shape: CacheShape) {
    this.#shape = shape;
  }

  /** Copies the tokens of a sequence from `first` on. */
  keep(id: number, from: CacheEntry, first: number, count: number): void {
    const kept = this.#add(id, count);
    this.#eachHead(({ layer, part, head, index }) => {
      const rows = from.pool[part][layer]!;
      kept.set(rows.subarray(...this.#span(from, head, first, count)), index * count * this.#shape.headDim);
    });
  }

  /** Appends copies of the first `count` tokens to a sequence. */
  restore(id: number, to: CacheEntry, count: number): void {
    const kept = this.#kept.get(id)!;
    const { headDim } = this.#shape;
    this.#eachHead(({ layer, part, head, index }) => {
      const start = index * kept.count * headDim;
      const [target] = this.#span(to, head, to.length, count);
      to.pool[part][layer]!.set(kept.data.subarray(start, start + count * headDim), target);
    });
    to.length += count;
  }

  /** The first `count` tokens keep their id; the rest gets `restId`. */
  split(id: number, count: number, restId: number): void {
    const whole = this.#kept.get(id)!;
    this.drop(id);
    const { headDim } = this.#shape;
    const parts = [
      { first: 0, count, data: this.#add(id, count) },
      { first: count, count: whole.count - count, data: this.#add(restId, whole.count - count) },
    ];
    this.#eachHead(({ index }) => {
      for (const part of parts) {
        const start = (index * whole.count + part.first) * headDim;
        part.data.set(whole.data.subarray(start, start + part.count * headDim), index * part.count * headDim);
      }
    });
  }

  drop(id: number): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    this.bytes -= kept.data.byteLength;
  }

  #add(id: number, count: number): Float32Array {
    const { layers, kvHeads, headDim } = this.#shape;
    const data = new Float32Array(2 * layers * kvHeads * count * headDim);
    this.#kept.set(id, { count, data });
    this.bytes += data.byteLength;
    return data;
  }

  /** The range of rows of one head of a sequence. */
  #span({ pool, slot }: CacheEntry, head: number, first: number, count: number): [start: number, end: number] {
    const { kvHeads, headDim } = this.#shape;
    const start = ((slot * kvHeads + head) * pool.rows + first) * headDim;
    return [start, start + count * headDim];
  }

  #eachHead(use: (place: { layer: number; part: 'keys' | 'values'; head: number; index: number }) => void): void {
    const { layers, kvHeads } = this.#shape;
    let index = 0;
    for (let layer = 0; layer < layers; layer++) {
      for (const part of ['keys', 'values'] as const) {
        for (let head = 0; head < kvHeads; head++) use({ layer, part, head, index: index++ });
      }
    }
  }
}
