/**
 * A queue that serves its owners round-robin, one item at a time. An owner is a path, such as a user and one of their
 * projects: users take turns, and so do the projects of a user.
 */
export class FairQueue<Item> {
  /** In the order in which they are served next. */
  readonly #owners = new Map<string, FairQueue<Item>>();
  /** Items of this owner itself, the oldest first. */
  readonly #own = new Set<Item>();
  /** The owner served last: its queue may have emptied and filled again before the others were served. */
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

  /** Removes and returns the next item. */
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

  /** Removes an item before its turn. Returns false if it is not waiting under this path. */
  delete(path: readonly string[], item: Item): boolean {
    const [owner, ...rest] = path;
    const queue = owner === undefined ? undefined : this.#owners.get(owner);
    const isFound = owner === undefined ? this.#own.delete(item) : (queue?.delete(rest, item) ?? false);
    if (isFound) this.#size--;
    if (queue?.size === 0) this.#owners.delete(owner!);
    return isFound;
  }

  /** Whether an owner may add another item if about `sizeMax` may wait in total. */
  hasRoomFor(owner: string, sizeMax: number): boolean {
    const own = this.#owners.get(owner)?.size ?? 0;
    return hasFairRoom({ size: this.#size, own, owners: this.#owners.size }, sizeMax);
  }

  /** Removes all items. */
  clear(): Item[] {
    const items: Item[] = [];
    for (let item = this.next(); item !== undefined; item = this.next()) items.push(item);
    return items;
  }
}

/**
 * In a full queue an owner may still add items while it has less than an equal share, so no owner can fill the queue
 * for the others. `own` of the `size` items belong to this owner; `owners` is the number of owners with items.
 */
export function hasFairRoom(
  { size, own, owners }: { size: number; own: number; owners: number },
  sizeMax: number,
): boolean {
  return size < sizeMax || own < sizeMax / (own === 0 ? owners + 1 : owners);
}
