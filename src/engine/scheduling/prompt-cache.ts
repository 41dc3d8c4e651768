import type { LoadedModel, Sequence } from '../runtime/types.ts';
import { computedLength, type Lane, laneLength, laneTokens } from './sequence.ts';

/** A sequence that is done, and what its keys and values were computed from. */
type Kept = { salt: string; tokens: Int32Array; sequence: Sequence };

/** Sequences kept; more would scatter those under way over the slots of the cache. */
const keptMax = 8;
/** A shorter common beginning is computed as fast as it is copied. */
const sharedMin = 32;

/**
 * Keys and values of sequences that have ended, for requests that begin in the same way: a conversation that goes on,
 * many questions after one long instruction. Only requests with the same salt share.
 */
export class PromptCache {
  readonly #model: LoadedModel;
  /** The least recently used first. */
  #kept: Kept[] = [];

  constructor(model: LoadedModel) {
    this.#model = model;
  }

  /** A sequence that begins as this lane does, without its last token, whose logits are wanted; null where none does. */
  async take(lane: Lane): Promise<Sequence | null> {
    const tokens = laneTokens(lane, 0, laneLength(lane));
    let best: Kept | null = null;
    let shared = sharedMin - 1;
    for (const kept of this.#kept) {
      if (kept.salt !== lane.task.cacheSalt) continue;
      const length = Math.min(commonLength(kept.tokens, tokens), tokens.length - 1);
      if (length <= shared) continue;
      shared = length;
      best = kept;
    }
    if (!best) return null;
    this.#kept = [...this.#kept.filter((kept) => kept !== best), best];
    return this.#model.fork(best.sequence, shared);
  }

  /** Takes over the sequence of a lane that needs it no more. */
  keep(lane: Lane): void {
    const sequence = lane.sequence!;
    const length = computedLength(lane);
    const tokens = laneTokens(lane, 0, length);
    const { cacheSalt: salt } = lane.task;
    if (length < sharedMin || this.#kept.some((kept) => kept.salt === salt && isBeginning(tokens, kept.tokens))) {
      this.#model.release(sequence);
      return;
    }
    const covered = this.#kept.filter((kept) => kept.salt === salt && isBeginning(kept.tokens, tokens));
    for (const { sequence: old } of covered) this.#model.release(old);
    this.#kept = [...this.#kept.filter((kept) => !covered.includes(kept)), { salt, tokens, sequence }];
    if (this.#kept.length > keptMax) this.forgetOldest();
  }

  /** @returns whether there was something to forget. */
  forgetOldest(): boolean {
    const oldest = this.#kept.shift();
    if (!oldest) return false;
    this.#model.release(oldest.sequence);
    return true;
  }
}

function commonLength(a: Int32Array, b: Int32Array): number {
  const end = Math.min(a.length, b.length);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}

function isBeginning(short: Int32Array, long: Int32Array): boolean {
  return short.length <= long.length && commonLength(short, long) === short.length;
}
