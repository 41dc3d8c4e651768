type Event = { at: number; order: number; action: () => void };

/** Simulated time, in ms: code that sleeps goes on as soon as everything before it has happened. */
export class Clock {
  now = 0;
  #events: Event[] = []; // a binary heap
  #count = 0;

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#push({ at: this.now + ms, order: this.#count++, action: resolve }));
  }

  async runUntil(end: number): Promise<void> {
    for (;;) {
      await new Promise(setImmediate); // what the last events have caused
      const at = this.#events[0]?.at;
      if (at === undefined || at > end) return;
      this.now = at;
      while (this.#events[0]?.at === at) this.#pop().action();
    }
  }

  #push(event: Event): void {
    const heap = this.#events;
    let i = heap.push(event) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && isBefore(event, heap[parent]!); parent = (i - 1) >> 1) {
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = event;
  }

  #pop(): Event {
    const heap = this.#events;
    const [first, last] = [heap[0]!, heap.pop()!];
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (child >= heap.length || !isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Cores that work shares in slices, in turn. */
export class Cores {
  #clock: Clock;
  #free: number;
  #waiting: (() => void)[] = [];
  #head = 0;
  /** How long all of them have worked, in ms. */
  busyMs = 0;

  constructor(clock: Clock, count: number) {
    this.#clock = clock;
    this.#free = count;
  }

  /** @param beneath other cores on which the same work runs, as those of a machine do what threads do */
  async use(ms: number, beneath?: Cores): Promise<void> {
    for (let left = ms; left > 0; left -= sliceMs) {
      const slice = Math.min(left, sliceMs);
      await this.#take();
      await (beneath ? beneath.use(slice) : this.#clock.sleep(slice));
      this.busyMs += slice;
      this.#release();
    }
  }

  #take(): Promise<void> {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
    return Promise.resolve();
  }

  #release(): void {
    const next = this.#waiting[this.#head];
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#head++;
    if (this.#head === 4096) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    next();
  }
}

const sliceMs = 5;
