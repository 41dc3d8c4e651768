import type { Context } from '../../context.ts';
import type { feedbackQuery } from '../../contract/feedback/query.ts';
import { checkPage } from '../../domain/query/page.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { queryFeedback as query } from '../../store/clickhouse/feedback/query-feedback.ts';
import { JsonText } from '../../util/json/json-text.ts';

export function queryFeedback(context: Pick<Context, 'clickhouse' | 'identity'>): Handler<typeof feedbackQuery> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    checkPage(body);
    const { result, totalCount } = await query(context.clickhouse, {
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
