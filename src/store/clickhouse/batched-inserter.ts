import { joined } from '../../util/joined.ts';
import type { ClickHouse } from './clickhouse.ts';
import { insertApart } from './rows/insert-apart.ts';
import type { TableName } from './rows/tables.ts';

/** Inserts that concurrent requests share. */
export type BatchedInserter = {
  /**
   * Inserts rows given as lines of `insertLine`, as a string or in UTF-8; resolves when they are durable and visible.
   * @throws Failure if the store rejects these rows; rows of other requests are stored.
   */
  insert(table: TableName, lines: string | Buffer): Promise<void>;
  /** Resolves when everything that was submitted is inserted. */
  drain(): Promise<void>;
};

/**
 * Each insert takes milliseconds and creates a part to merge, regardless of its size. Rows that arrive during an insert
 * into their table therefore share the next one: an idle server answers immediately, a busy one inserts in bulk.
 */
export function openBatchedInserter(clickhouse: Pick<ClickHouse, 'insert'>): BatchedInserter {
  const queues = new Map<TableName, Waiting[]>();
  const working = new Set<Promise<void>>();

  async function work(table: TableName, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      const failures = await insertApart(batch, (part) => clickhouse.insert(table, bytesOf(part)));
      for (const waiting of batch) {
        const failure = failures.get(waiting);
        if (failure) waiting.reject(failure);
        else waiting.resolve();
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

type Waiting = { lines: string | Buffer; resolve(): void; reject(error: unknown): void };

function bytesOf(part: Waiting[]): Buffer {
  return joined(part.map(({ lines }) => (typeof lines === 'string' ? Buffer.from(lines) : lines)));
}

const batchCharactersMax = 8 * 1024 * 1024;

/** Takes as much as fits into one insert; always at least one. */
function takeBatch(queue: Waiting[]): Waiting[] {
  let characters = 0;
  let count = 0;
  while (count < queue.length && (count === 0 || characters < batchCharactersMax)) {
    characters += queue[count++]!.lines.length;
  }
  return queue.splice(0, count);
}
