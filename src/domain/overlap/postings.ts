/** Items fit into the bits of a double beside a key of 32 bits. */
const placesOfKey = 2 ** 21;

/** Which items have a key. Built once, in 8 bytes for each pair, because a `Map` takes many times as much. */
export class Postings {
  readonly #pairs: Float64Array;

  /** @param pairs key · 2²¹ + item of each, sorted */
  constructor(pairs: Float64Array) {
    this.#pairs = pairs;
  }

  *itemsOf(key: number): Generator<number> {
    const first = key * placesOfKey;
    for (let at = this.#lowerBound(first); at < this.#pairs.length; at++) {
      const item = this.#pairs[at]! - first;
      if (item >= placesOfKey) return;
      yield item;
    }
  }

  /** The position of the first pair that is not less. */
  #lowerBound(wanted: number): number {
    let [low, high] = [0, this.#pairs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#pairs[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Collects the pairs of `Postings`. */
export class PostingsBuilder {
  #pairs = new Float64Array(1024);
  #size = 0;

  add(keys: Uint32Array, item: number): void {
    if (item >= placesOfKey) throw new RangeError(`At most ${placesOfKey} items can be indexed.`);
    while (this.#size + keys.length > this.#pairs.length) {
      const grown = new Float64Array(2 * this.#pairs.length);
      grown.set(this.#pairs);
      this.#pairs = grown;
    }
    for (const key of keys) this.#pairs[this.#size++] = key * placesOfKey + item;
  }

  /** @param itemsMax keys that more items have are left out */
  end(itemsMax = Number.POSITIVE_INFINITY): Postings {
    const pairs = this.#pairs.slice(0, this.#size).sort();
    let kept = 0;
    for (let start = 0, end = 0; start < pairs.length; start = end) {
      const key = keyOf(pairs[start]!);
      while (end < pairs.length && keyOf(pairs[end]!) === key) end++;
      if (end - start > itemsMax) continue;
      pairs.copyWithin(kept, start, end);
      kept += end - start;
    }
    return new Postings(pairs.slice(0, kept));
  }
}

function keyOf(pair: number): number {
  return Math.floor(pair / placesOfKey);
}
