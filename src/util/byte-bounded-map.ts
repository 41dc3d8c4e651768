import { oldestTenth } from './oldest-tenth.ts';

/** A map that drops its oldest entries when all entries together exceed a size in bytes. */
export class ByteBoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #bytesMax: number;
  readonly #sizeOf: (value: Value) => number;
  #bytes = 0;

  constructor(bytesMax: number, sizeOf: (value: Value) => number) {
    this.#bytesMax = bytesMax;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#bytes += this.#sizeOf(value);
    while (this.#bytes > this.#bytesMax && this.#entries.size > 0) {
      for (const oldest of oldestTenth(this.#entries)) this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#sizeOf(value);
  }
}
