import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type * as contract from '../../contract/feedback/purge.ts';
import { namedIds } from '../../domain/query/named-ids.ts';
import { parseQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';

export function feedbackPurge({ identity, services: { feedback } }: Context): Handler<typeof contract.feedbackPurge> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const ids = namedIds(parseQuery(body.query), { takesIn: false });
    if (ids === null) {
      throw badRequest(
        'Can only purge feedback by specifying one or more feedback ids: {"$eq": [{"$getField": "id"}, {"$literal": "ID"}]}, or an $or of such',
      );
    }
    await feedback.purge(projectId, ids);
    return {};
  };
}
