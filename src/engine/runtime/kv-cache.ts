import { KeptRows } from './kept-rows.ts';

/** The dimensions of a model's cache. Sequences have at most `contextMax` tokens. */
export type CacheShape = { layers: number; kvHeads: number; headDim: number; contextMax: number };

/** One layer of `count` slots, `[count, kv heads, rows, head dim]`. */
export type LayerView = { keys: Float32Array; values: Float32Array };

/** The first `count` tokens of a kept sequence. */
export type KeptPart = { id: number; count: number };

/** The slot with the keys and values of a sequence, and its number of tokens. */
export type CacheEntry = { pool: Pool; slot: number; length: number };

/**
 * Slots of one size. Each layer has a buffer `[slots, kv heads, rows, head dim]` for keys and one for values. Used slots are
 * at the front, so that a batch of sequences is one view.
 */
export type Pool = { rows: number; slots: number; used: CacheEntry[]; keys: Float32Array[]; values: Float32Array[] };

const rowsStepMin = 64;

/** Maximum share of the memory for kept tokens, so that sequences rarely have to wait until some are dropped. */
const keptShareMax = 0.5;

/**
 * The keys and values of all sequences of a model. The cost of a run grows with the allocated rows and with the number of
 * pools. Slots therefore grow in steps of at most an eighth, and all slots of a pool grow together unless most of them would
 * be empty.
 */
export class KvCache {
  readonly #shape: CacheShape;
  #bytesMax: number;
  readonly #entries = new Map<number, CacheEntry>();
  #pools: Pool[] = [];
  readonly #kept: KeptRows;

  constructor(shape: CacheShape, bytesMax: number) {
    this.#shape = shape;
    this.#bytesMax = bytesMax;
    this.#kept = new KeptRows(shape);
  }

  get bytes(): number {
    return this.#pools.reduce((sum, { slots, rows }) => sum + slots * this.#slotBytes(rows), this.#kept.bytes);
  }

  /** Changes the limit. @returns the new limit: at least what the cache uses now */
  limit(bytesMax: number): number {
    this.#bytesMax = Math.max(bytesMax, this.bytes);
    return this.#bytesMax;
  }

  /** The entry of a sequence; undefined before its first token. */
  find(sequence: number): CacheEntry | undefined {
    return this.#entries.get(sequence);
  }

  /** Makes room for a sequence of `length` tokens. @returns null, without any change, if there is not enough memory */
  reserve(sequence: number, length: number): CacheEntry | null {
    const entry = this.#entries.get(sequence);
    if (entry === undefined) return this.#add(sequence, length);
    if (length <= entry.pool.rows || this.#growPool(entry.pool, length)) return entry;
    return this.#move(entry, length) ? entry : null;
  }

  /** Removes the tokens from `length` on. */
  truncate(sequence: number, length: number): void {
    const entry = this.#entries.get(sequence);
    if (entry !== undefined) entry.length = Math.min(entry.length, length);
  }

  /** Copies the first `length` tokens of a sequence to a new one. @returns false if there is not enough memory */
  fork(from: number, to: number, length: number): boolean {
    const source = this.#entries.get(from);
    if (source === undefined || length === 0) return true;
    const target = this.reserve(to, length);
    if (target === null) return false;
    this.#copyRows(source, target, length);
    target.length = length;
    return true;
  }

  /** Copies tokens of a sequence so that they outlive it. @returns false if there is not enough memory */
  keep(sequence: number, { id, first, count }: { id: number; first: number; count: number }): boolean {
    const bytes = this.#slotBytes(count);
    const keptMax = Math.min(keptShareMax * this.#bytesMax, this.#bytesMax - this.bytes + this.#kept.bytes);
    if (this.#kept.bytes + bytes > keptMax) return false;
    this.#kept.keep(id, this.#entries.get(sequence)!, first, count);
    return true;
  }

  /** Starts a sequence with kept tokens. @returns false if there is not enough memory */
  resume(sequence: number, parts: KeptPart[]): boolean {
    const length = parts.reduce((sum, { count }) => sum + count, 0);
    const entry = this.reserve(sequence, length);
    if (entry === null) return false;
    for (const { id, count } of parts) this.#kept.restore(id, entry, count);
    return true;
  }

  /** Splits kept tokens: the first `count` keep their id, and the rest gets `restId`. */
  splitKept(id: number, count: number, restId: number): void {
    this.#kept.split(id, count, restId);
  }

  dropKept(id: number): void {
    this.#kept.drop(id);
  }

  release(sequence: number): void {
    const entry = this.#entries.get(sequence);
    if (entry === undefined) return;
    this.#entries.delete(sequence);
    this.#vacate(entry);
  }

  view({ rows, keys, values }: Pool, layer: number, first: number, count: number): LayerView {
    const slotSize = this.#slotSize(rows);
    const [start, end] = [first * slotSize, (first + count) * slotSize];
    return { keys: keys[layer]!.subarray(start, end), values: values[layer]!.subarray(start, end) };
  }

  /**
   * Appends the new rows that a graph returned, `[layers, keys and values, B, kv heads, N, head dim]`.
   * @param batch the sequences in the order of B; rows of null are dropped
   */
  append(newRows: Float32Array, batch: (CacheEntry | null)[], tokens: number): void {
    const { layers, kvHeads, headDim } = this.#shape;
    const run = tokens * headDim;
    let from = 0;
    for (let layer = 0; layer < layers; layer++) {
      for (const part of ['keys', 'values'] as const) {
        for (const entry of batch) {
          for (let head = 0; head < kvHeads; head++, from += run) {
            if (entry === null) continue;
            const { pool, slot, length } = entry;
            pool[part][layer]!.set(
              newRows.subarray(from, from + run),
              ((slot * kvHeads + head) * pool.rows + length) * headDim,
            );
          }
        }
      }
    }
    for (const entry of batch) if (entry !== null) entry.length += tokens;
  }

  #add(sequence: number, length: number): CacheEntry | null {
    const pool = this.#poolFor(length);
    if (pool === null) return null;
    const entry = { pool, slot: pool.used.length, length: 0 };
    pool.used.push(entry);
    this.#entries.set(sequence, entry);
    return entry;
  }

  #move(entry: CacheEntry, length: number): boolean {
    const pool = this.#poolFor(length);
    if (pool === null) return false;
    const old = { ...entry };
    old.pool.used[old.slot] = old;
    entry.pool = pool;
    entry.slot = pool.used.push(entry) - 1;
    this.#copyRows(old, entry, entry.length);
    this.#vacate(old);
    return true;
  }

  /** The best pool for this length, created or enlarged if needed, with a free slot. */
  #poolFor(length: number): Pool | null {
    const rows = this.#rowsFor(length);
    const fitting = this.#pools.filter((pool) => pool.rows >= rows && pool.rows <= 4 * rows);
    const smaller = this.#pools.filter((pool) => pool.rows < rows).sort((a, b) => b.rows - a.rows);
    const best = fitting.sort((a, b) => a.rows - b.rows)[0] ?? smaller.find((pool) => this.#growPool(pool, length));
    const pool = best ?? { rows, slots: 0, used: [], keys: [], values: [] };
    if (pool.used.length === pool.slots && !this.#addSlots(pool)) return null;
    if (best === undefined) this.#pools.push(pool);
    return pool;
  }

  /** Doubles the number of slots, or adds as many as memory allows. */
  #addSlots(pool: Pool): boolean {
    const slotBytes = this.#slotBytes(pool.rows);
    const free = Math.floor((this.#bytesMax - this.bytes) / slotBytes);
    const added = Math.min(Math.max(pool.slots, 1), free);
    if (added < 1) return false;
    this.#relayout(pool, pool.slots + added, pool.rows);
    return true;
  }

  /** Makes the slots of a pool long enough for a sequence. @returns false if this needs too much memory */
  #growPool(pool: Pool, length: number): boolean {
    const rows = this.#rowsFor(length);
    const tokens = pool.used.reduce((sum, each) => sum + each.length, length);
    const bytes = pool.used.length * this.#slotBytes(rows) - pool.slots * this.#slotBytes(pool.rows);
    if (4 * tokens < pool.used.length * rows || this.bytes + bytes > this.#bytesMax) return false;
    this.#relayout(pool, pool.used.length, rows);
    return true;
  }

  /** Frees a slot by moving the last used slot there. */
  #vacate({ pool, slot }: CacheEntry): void {
    const last = pool.used.pop()!;
    if (last.slot !== slot) {
      const from = { ...last };
      last.slot = slot;
      pool.used[slot] = last;
      this.#copyRows(from, last, last.length);
    }
    if (pool.used.length === 0) this.#pools = this.#pools.filter((each) => each !== pool);
    else if (4 * pool.used.length <= pool.slots) this.#relayout(pool, 2 * pool.used.length, pool.rows);
  }

  /** Copies a pool to buffers of another size, layer by layer to limit the memory in use. */
  #relayout(pool: Pool, slots: number, rows: number): void {
    const { layers, kvHeads, headDim } = this.#shape;
    for (const part of ['keys', 'values'] as const) {
      for (let layer = 0; layer < layers; layer++) {
        const old = pool[part][layer];
        const buffer = new Float32Array(slots * this.#slotSize(rows));
        for (const { slot, length } of old === undefined ? [] : pool.used) {
          for (let head = slot * kvHeads; head < (slot + 1) * kvHeads; head++) {
            const from = head * pool.rows * headDim;
            buffer.set(old!.subarray(from, from + length * headDim), head * rows * headDim);
          }
        }
        pool[part][layer] = buffer;
      }
    }
    pool.slots = slots;
    pool.rows = rows;
  }

  #copyRows(from: CacheEntry, to: CacheEntry, length: number): void {
    const { layers, kvHeads, headDim } = this.#shape;
    for (const part of ['keys', 'values'] as const) {
      for (let layer = 0; layer < layers; layer++) {
        const source = from.pool[part][layer]!;
        const target = to.pool[part][layer]!;
        for (let head = 0; head < kvHeads; head++) {
          const start = (from.slot * kvHeads + head) * from.pool.rows * headDim;
          target.set(
            source.subarray(start, start + length * headDim),
            (to.slot * kvHeads + head) * to.pool.rows * headDim,
          );
        }
      }
    }
  }

  #rowsFor(length: number): number {
    const step = Math.max(rowsStepMin, 2 ** Math.floor(Math.log2(length)) / 8);
    const rows = step * Math.ceil(length / step);
    return Math.min(rows, Math.max(this.#shape.contextMax, length));
  }

  #slotSize(rows: number): number {
    return this.#shape.kvHeads * rows * this.#shape.headDim;
  }

  #slotBytes(rows: number): number {
    return cacheBytes(this.#shape, rows);
  }
}

/** The memory of the keys and values of `tokens` tokens. */
export function cacheBytes({ layers, kvHeads, headDim }: Omit<CacheShape, 'contextMax'>, tokens: number): number {
  return 2 * layers * kvHeads * headDim * tokens * Float32Array.BYTES_PER_ELEMENT;
}
