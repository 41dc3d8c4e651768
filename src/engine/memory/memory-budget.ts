import { humanBytes } from '../../util/human-bytes.ts';
import { freeMemory } from './plan-memory.ts';

/** The memory that one user of the budget has. */
export type MemoryGrant = {
  readonly bytes: number;
  /** Changes its size. @throws MemoryExceeded, without any change */
  resize(bytes: number): void;
  /**
   * Whether its user needs it now. If not, others may have it: they call `free`, which releases it before it resolves. Null: it is
   * needed, as it is at first.
   */
  setIdle(free: (() => Promise<void>) | null): void;
  release(): void;
};

/** More memory was requested than the budget or the machine has free. */
export class MemoryExceeded extends Error {
  override name = 'MemoryExceeded';
}

export type MemoryBudgetOptions = {
  bytesMax: number;
  /** The name of the setting of `bytesMax`, for messages. */
  setting: string;
  /** The free memory of the machine. */
  machineFreeBytes?: () => number;
};

type Held = { holder: string; bytes: number; free: (() => Promise<void>) | null };

/**
 * The memory of models in all processes: weights, caches of keys and values with the prompts kept in them, and training. The
 * server has one budget, and everything that loads something needs a grant first.
 */
export class MemoryBudget {
  readonly bytesMax: number;
  readonly #setting: string;
  readonly #machineFreeBytes: () => number;
  readonly #held = new Map<symbol, Held>();

  constructor({ bytesMax, setting, machineFreeBytes = freeMemory }: MemoryBudgetOptions) {
    this.bytesMax = bytesMax;
    this.#setting = setting;
    this.#machineFreeBytes = machineFreeBytes;
  }

  get freeBytes(): number {
    const held = totalOf([...this.#held.values()]);
    return Math.max(0, Math.min(this.bytesMax - held, this.#machineFreeBytes()));
  }

  /** What is free, and what is held by users that do not need it now. */
  get availableBytes(): number {
    return Math.min(this.bytesMax, this.freeBytes + totalOf(this.#idle()));
  }

  /** Frees memory that its user does not need now. @returns false if there is none */
  async freeIdle(): Promise<boolean> {
    const [idle] = this.#idle();
    await idle?.free?.();
    return idle !== undefined;
  }

  /** @throws MemoryExceeded */
  grant(holder: string, bytes: number): MemoryGrant {
    this.#check(holder, bytes);
    const key = Symbol(holder);
    const entry: Held = { holder, bytes, free: null };
    this.#held.set(key, entry);
    return {
      get bytes() {
        return entry.bytes;
      },
      resize: (wanted) => {
        this.#check(holder, wanted - entry.bytes);
        entry.bytes = wanted;
      },
      setIdle: (free) => {
        entry.free = free;
      },
      release: () => void this.#held.delete(key),
    };
  }

  #idle(): Held[] {
    return [...this.#held.values()].filter(({ free }) => free !== null);
  }

  /** The size of the budget and its users, for the end of a message. */
  describe(): string {
    const holders = [...this.#held.values()].map(({ holder, bytes }) => `${holder} uses ${humanBytes(bytes)}`);
    const all = holders.length === 0 ? 'nothing is in use' : holders.join(', ');
    return `All models together may use ${humanBytes(this.bytesMax)} (${this.#setting}); ${all}.`;
  }

  #check(holder: string, bytes: number): void {
    const free = this.freeBytes;
    if (bytes <= free || bytes <= 0) return;
    throw new MemoryExceeded(
      `${holder} needs ${humanBytes(bytes)} of memory, and ${humanBytes(free)} are free. ${this.describe()}`,
    );
  }
}

function totalOf(held: Held[]): number {
  return held.reduce((sum, { bytes }) => sum + bytes, 0);
}
