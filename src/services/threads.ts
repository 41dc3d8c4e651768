import { checkPage } from '../domain/query/page.ts';
import type { Thread } from '../domain/thread.ts';
import { readThreads, type ThreadsRead } from '../store/clickhouse/threads/read-threads.ts';
import type { Deps } from './deps.ts';

/** Operations on the threads of a project. */
export type Threads = {
  /** Threads page by page. @throws Failure, before the first page, for an invalid order or page */
  query(query: ThreadsRead): AsyncIterable<Thread[]>;
};

export function openThreads({ clickhouse }: Pick<Deps, 'clickhouse'>): Threads {
  return {
    query(query) {
      checkPage(query);
      return readThreads(clickhouse, query);
    },
  };
}
