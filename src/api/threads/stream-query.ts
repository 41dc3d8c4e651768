import type { Context } from '../../context.ts';
import type * as contract from '../../contract/threads/stream-query.ts';
import { threadJson } from '../../domain/threads/thread.ts';
import type { Handler } from '../../http/bind.ts';
import { readThreads } from '../../store/clickhouse/threads/read-threads.ts';

export function threadsStreamQuery(context: Context): Handler<typeof contract.threadsStreamQuery> {
  return async ({ body, caller }) => {
    const { filter, sort_by: sortBy, limit, offset } = body;
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const pages = readThreads(context.clickhouse, { projectId, filter, sortBy, limit, offset });
    return (async function* lines() {
      for await (const threads of pages) yield threads.map((thread) => `${threadJson(thread)}\n`).join('');
    })();
  };
}
