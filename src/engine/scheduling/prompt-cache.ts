import type { AdapterId } from '../adapter-id.ts';
import type { CachedSequence, LoadedModel } from '../runtime/types.ts';
import { computedLength, type Sequence, sequenceLength, sequenceTokens } from './sequence.ts';

/** The keys and values of a finished sequence, and what they were computed from. */
type Entry = { adapterId: AdapterId | null; salt: string; tokens: Int32Array; cached: CachedSequence };

/** More entries would scatter the running sequences over the slots of the cache. */
const entriesMax = 8;
/** Computing a shorter prefix is as fast as copying it. */
const sharedMin = 32;

/**
 * Keys and values of finished sequences, for requests that begin with the same tokens: a conversation that continues, or
 * many questions after one long instruction. Only requests with the same adapter and the same salt share an entry.
 */
export class PromptCache {
  readonly #model: LoadedModel;
  /** The least recently used first. */
  #entries: Entry[] = [];

  constructor(model: LoadedModel) {
    this.#model = model;
  }

  /** A sequence that begins with the tokens of this one, except its last, whose logits are needed; null without a match. */
  async take(sequence: Sequence): Promise<CachedSequence | null> {
    const tokens = sequenceTokens(sequence, 0, sequenceLength(sequence));
    let best: Entry | null = null;
    let shared = sharedMin - 1;
    for (const entry of this.#entries) {
      if (!mayShare(entry, sequence)) continue;
      const length = Math.min(commonLength(entry.tokens, tokens), tokens.length - 1);
      if (length <= shared) continue;
      shared = length;
      best = entry;
    }
    if (!best) return null;
    this.#entries = [...this.#entries.filter((entry) => entry !== best), best];
    return this.#model.fork(best.cached, shared);
  }

  /** Takes over the keys and values of a sequence that no longer needs them. */
  keep(sequence: Sequence): void {
    const cached = sequence.cached!;
    const length = computedLength(sequence);
    const tokens = sequenceTokens(sequence, 0, length);
    const sharing = this.#entries.filter((entry) => mayShare(entry, sequence));
    if (length < sharedMin || sharing.some((entry) => isPrefix(tokens, entry.tokens))) {
      this.#model.release(cached);
      return;
    }
    const covered = sharing.filter((entry) => isPrefix(entry.tokens, tokens));
    for (const entry of covered) this.#model.release(entry.cached);
    const { adapterId, cacheSalt: salt } = sequence.generation;
    this.#entries = [...this.#entries.filter((entry) => !covered.includes(entry)), { adapterId, salt, tokens, cached }];
    if (this.#entries.length > entriesMax) this.forgetOldest();
  }

  /** Forgets the prompts of an adapter. */
  forget(adapterId: AdapterId): void {
    const entries = this.#entries.filter((entry) => entry.adapterId === adapterId);
    for (const { cached } of entries) this.#model.release(cached);
    this.#entries = this.#entries.filter((entry) => !entries.includes(entry));
  }

  clear(): void {
    while (this.forgetOldest());
  }

  /** @returns whether there was something to forget. */
  forgetOldest(): boolean {
    const oldest = this.#entries.shift();
    if (!oldest) return false;
    this.#model.release(oldest.cached);
    return true;
  }
}

function mayShare({ adapterId, salt }: Entry, { generation }: Sequence): boolean {
  return adapterId === generation.adapterId && salt === generation.cacheSalt;
}

function commonLength(a: Int32Array, b: Int32Array): number {
  const end = Math.min(a.length, b.length);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}

function isPrefix(short: Int32Array, long: Int32Array): boolean {
  return short.length <= long.length && commonLength(short, long) === short.length;
}
