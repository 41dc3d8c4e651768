import { humanBytes } from '../../util/human-bytes.ts';
import { freeMemory } from './plan-memory.ts';

/** Bytes that one holder may use. */
export type MemoryGrant = {
  readonly bytes: number;
  /** Takes more, or gives some back. @throws MemoryExceeded, and nothing changes */
  resize(bytes: number): void;
  release(): void;
};

/** More memory was requested than the budget or the machine has free. */
export class MemoryExceeded extends Error {
  override name = 'MemoryExceeded';
}

export type MemoryBudgetOptions = {
  bytesMax: number;
  /** The setting that `bytesMax` comes from, for messages. */
  setting: string;
  /** What the machine has free. */
  machineFreeBytes?: () => number;
};

/**
 * The memory of everything that is loaded for models, in all processes: weights, the caches of keys and values with the
 * prompts kept in them, and training. The server owns the one budget; whoever loads something asks it first.
 */
export class MemoryBudget {
  readonly bytesMax: number;
  readonly #setting: string;
  readonly #machineFreeBytes: () => number;
  readonly #held = new Map<symbol, { holder: string; bytes: number }>();

  constructor({ bytesMax, setting, machineFreeBytes = freeMemory }: MemoryBudgetOptions) {
    this.bytesMax = bytesMax;
    this.#setting = setting;
    this.#machineFreeBytes = machineFreeBytes;
  }

  get freeBytes(): number {
    const held = [...this.#held.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return Math.max(0, Math.min(this.bytesMax - held, this.#machineFreeBytes()));
  }

  /** @throws MemoryExceeded */
  grant(holder: string, bytes: number): MemoryGrant {
    this.#check(holder, bytes);
    const key = Symbol(holder);
    const entry = { holder, bytes };
    this.#held.set(key, entry);
    return {
      get bytes() {
        return entry.bytes;
      },
      resize: (wanted) => {
        this.#check(holder, wanted - entry.bytes);
        entry.bytes = wanted;
      },
      release: () => void this.#held.delete(key),
    };
  }

  /** How large the budget is and who holds what, as the end of a message. */
  describe(): string {
    const holders = [...this.#held.values()].map(({ holder, bytes }) => `${holder} holds ${humanBytes(bytes)}`);
    const all = holders.length === 0 ? 'nothing is held' : holders.join(', ');
    return `All models together may take ${humanBytes(this.bytesMax)} (${this.#setting}); ${all}.`;
  }

  #check(holder: string, bytes: number): void {
    const free = this.freeBytes;
    if (bytes <= free || bytes <= 0) return;
    throw new MemoryExceeded(
      `${holder} needs ${humanBytes(bytes)} of memory, and ${humanBytes(free)} are free. ${this.describe()}`,
    );
  }
}
