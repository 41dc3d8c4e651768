import type { Context } from '../../context.ts';
import type * as contract from '../../contract/threads/stream-query.ts';
import { threadJson } from '../../domain/thread.ts';
import type { Handler } from '../../http/bind.ts';

export function threadsStreamQuery({
  identity,
  services: { threads },
}: Context): Handler<typeof contract.threadsStreamQuery> {
  return async ({ body, caller }) => {
    const { filter, sort_by: sortBy, limit, offset } = body;
    const projectId = await identity.projectForRead(caller, body.project_id);
    const wanted = filter && {
      after: filter.after_datetime,
      before: filter.before_datetime,
      ids: filter.thread_ids,
      withTopmostCalls: filter.with_topmost_calls,
    };
    const pages = threads.query({ projectId, filter: wanted, sortBy, limit, offset });
    return (async function* lines() {
      for await (const page of pages) yield page.map((thread) => `${threadJson(thread)}\n`).join('');
    })();
  };
}
