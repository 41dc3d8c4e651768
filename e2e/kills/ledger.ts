import type { Client } from './client.ts';

/** Says what is wrong with what a server holds; null where it is as it was acknowledged. */
export type Check = (client: Client) => Promise<string | null>;

/** What must hold, by the thing it is about: of a thing that a request under way may change, nothing is known. */
export class Ledger {
  readonly #facts = new Map<string, Check>();
  readonly #waiting: { count: number; resolve: () => void }[] = [];
  /** How many requests were acknowledged. */
  acknowledged = 0;

  /** Sends a request that changes things. What it makes true is known only once it is acknowledged. */
  async change(things: string[], request: () => Promise<unknown>, facts: Check[]): Promise<void> {
    for (const thing of things) this.#facts.delete(thing);
    await request();
    this.acknowledged++;
    for (const { count, resolve } of this.#waiting) if (this.acknowledged >= count) resolve();
    for (const [index, thing] of things.entries()) this.#facts.set(thing, facts[index]!);
  }

  /** Adds what holds whether or not a request is acknowledged. */
  expect(thing: string, fact: Check): void {
    this.#facts.set(thing, fact);
  }

  /** Resolves once so many requests were acknowledged. */
  reached(count: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  get size(): number {
    return this.#facts.size;
  }

  /** The facts that do not hold, in words. */
  async verify(client: Client): Promise<string[]> {
    const left = [...this.#facts];
    const wrong: string[] = [];
    const worker = async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        const [thing, check] = next;
        const problem = await check(client);
        if (problem !== null) wrong.push(`${thing}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    return wrong;
  }
}

/** A check that compares two values as JSON. */
export function expectEqual(found: unknown, expected: unknown): string | null {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  return left === right ? null : `expected ${right}, found ${left}`;
}
