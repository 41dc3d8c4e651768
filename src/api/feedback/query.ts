import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/query.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { JsonText } from '../../util/json/json-text.ts';

export function feedbackQuery({ identity, services: { feedback } }: Context): Handler<typeof contract.feedbackQuery> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const { result, totalCount } = await feedback.query({
      projectId,
      projectName: body.project_id,
      query: parseOptionalQuery(body.query),
      fields: body.fields ?? [],
      sortBy: body.sort_by ?? [],
      limit: body.limit,
      offset: body.offset,
    });
    return { result: result.map((text) => new JsonText(text)), total_count: totalCount };
  };
}
