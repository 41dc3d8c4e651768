import type { ClickHouse } from './clickhouse.ts';

/** Inserts that concurrent requests share. */
export type BatchedInserter = {
  /** Inserts rows given as JSON lines, each ended by a line feed; resolves when they are durable and visible. */
  insert(table: string, lines: string): Promise<void>;
  /** Resolves when everything that was given in is inserted. */
  drain(): Promise<void>;
};

/**
 * Each insert costs milliseconds and leaves a part to merge, whatever its size. So rows that arrive while an insert into
 * their table runs share the next one: an idle server answers at once, a busy one inserts in bulk.
 */
export function openBatchedInserter(clickhouse: ClickHouse): BatchedInserter {
  const queues = new Map<string, Waiting[]>();
  const working = new Set<Promise<void>>();

  async function work(table: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      try {
        await clickhouse.insert(table, Buffer.from(batch.map(({ lines }) => lines).join('')));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(table);
  }

  return {
    insert(table, lines) {
      return new Promise((resolve, reject) => {
        const waiting = { lines, resolve, reject };
        const queue = queues.get(table);
        if (queue) {
          queue.push(waiting);
          return;
        }
        const started = [waiting];
        queues.set(table, started);
        const run = work(table, started).finally(() => working.delete(run));
        working.add(run);
      });
    },
    async drain() {
      while (working.size > 0) await Promise.all(working);
    },
  };
}

type Waiting = { lines: string; resolve(): void; reject(error: unknown): void };

const batchCharactersMax = 8 * 1024 * 1024;

/** Takes what fits into one insert; always at least one. */
function takeBatch(queue: Waiting[]): Waiting[] {
  let characters = 0;
  let count = 0;
  while (count < queue.length && (count === 0 || characters < batchCharactersMax)) {
    characters += queue[count++]!.lines.length;
  }
  return queue.splice(0, count);
}
