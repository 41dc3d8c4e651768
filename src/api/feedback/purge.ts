import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type { feedbackPurge } from '../../contract/feedback/purge.ts';
import { namedIds } from '../../domain/query/named-ids.ts';
import { parseQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { purgeFeedback as purge } from '../../store/clickhouse/feedback/write-feedback.ts';
import { ascendingMicroseconds } from '../../util/ascending-time.ts';

export function purgeFeedback(context: Context): Handler<typeof feedbackPurge> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const ids = namedIds(parseQuery(body.query), { takesIn: false });
    if (ids === null) {
      throw badRequest(
        'Can only purge feedback by specifying one or more feedback ids: {"$eq": [{"$getField": "id"}, {"$literal": "ID"}]}, or an $or of such',
      );
    }
    await purge(context, { projectId, ids, at: ascendingMicroseconds() });
    return {};
  };
}
