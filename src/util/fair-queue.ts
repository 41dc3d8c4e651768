/**
 * Items that wait, taken in turn by owner: each owner that has items gives one, then goes behind the others. An owner is
 * a path, such as a user and one of their projects: users take turns, and within a user their projects do.
 */
export class FairQueue<Item> {
  /** In the order in which they are served next. */
  readonly #owners = new Map<string, FairQueue<Item>>();
  /** What belongs to this very owner, the oldest first. */
  readonly #own = new Set<Item>();
  /** The owner served last: it may have left and come back to an empty queue before the others came. */
  #last: string | null;
  #size = 0;

  constructor(servedLast: string | null = null) {
    this.#last = servedLast;
  }

  get size(): number {
    return this.#size;
  }

  add(path: readonly string[], item: Item): void {
    this.#size++;
    const [owner, ...rest] = path;
    if (owner === undefined) {
      this.#own.add(item);
      return;
    }
    const queue = this.#owners.get(owner) ?? new FairQueue<Item>();
    this.#owners.set(owner, queue);
    queue.add(rest, item);
  }

  /** Takes out the item whose turn it is. */
  next(): Item | undefined {
    for (const item of this.#own) {
      this.#own.delete(item);
      this.#size--;
      return item;
    }
    for (const [owner, queue] of this.#owners) {
      if (owner === this.#last && this.#owners.size > 1) continue;
      this.#last = owner;
      const item = queue.next();
      this.#size--;
      this.#owners.delete(owner);
      if (queue.size > 0) this.#owners.set(owner, queue);
      return item;
    }
    return undefined;
  }

  /** Takes out an item before its turn. False where it does not wait under this path. */
  delete(path: readonly string[], item: Item): boolean {
    const [owner, ...rest] = path;
    const queue = owner === undefined ? undefined : this.#owners.get(owner);
    const isFound = owner === undefined ? this.#own.delete(item) : (queue?.delete(rest, item) ?? false);
    if (isFound) this.#size--;
    if (queue?.size === 0) this.#owners.delete(owner!);
    return isFound;
  }

  /** Whether an owner may add another item where about `sizeMax` may wait in all. */
  hasRoomFor(owner: string, sizeMax: number): boolean {
    const own = this.#owners.get(owner)?.size ?? 0;
    return hasFairRoom({ size: this.#size, own, owners: this.#owners.size }, sizeMax);
  }

  /** Takes out all. */
  clear(): Item[] {
    const items: Item[] = [];
    for (let item = this.next(); item !== undefined; item = this.next()) items.push(item);
    return items;
  }
}

/**
 * In a full queue an owner still has room while it has less than an equal share, so that none fills the queue for the
 * others. `own` of the `size` items are this owner's, `owners` have any.
 */
export function hasFairRoom(
  { size, own, owners }: { size: number; own: number; owners: number },
  sizeMax: number,
): boolean {
  return size < sizeMax || own < sizeMax / (own === 0 ? owners + 1 : owners);
}
