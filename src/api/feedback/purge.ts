import type { Context } from '../../context.ts';
import type { feedbackPurge } from '../../contract/feedback/purge.ts';
import { purgedIds } from '../../domain/feedback/purged-ids.ts';
import { parseQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { purgeFeedback as purge } from '../../store/clickhouse/feedback/write-feedback.ts';
import { ascendingMicroseconds } from '../../util/ascending-time.ts';

export function purgeFeedback(context: Context): Handler<typeof feedbackPurge> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const ids = purgedIds(parseQuery(body.query));
    await purge(context, { projectId, ids, at: ascendingMicroseconds() });
    return {};
  };
}
