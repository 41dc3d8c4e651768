import { answeredFields } from '../../../domain/feedback/feedback-field.ts';
import type { Operation } from '../../../domain/query/operation.ts';
import { checkCount, queryLimits } from '../../../domain/query/query-limits.ts';
import type { SortBy } from '../../../domain/query/sort-by.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { orderSql } from '../query/order-sql.ts';
import { querySql } from '../query/query-sql.ts';
import { SqlParams } from '../query/sql-params.ts';
import { feedbackFields } from './feedback-field-sql.ts';
import { type SelectedRow, selectFeedback } from './select-feedback.ts';

export type FeedbackQuery = {
  projectId: string;
  /** The project as clients name it. */
  projectName: string;
  query: Operation | null;
  /** Empty for all. */
  fields: string[];
  sortBy: SortBy[];
  limit: number | null;
  offset: number | null;
};

export type FoundFeedback = {
  /** Each as JSON text. */
  result: string[];
  /** The number of matches, regardless of the limit. */
  totalCount: number;
};

/** Finds feedback, by default the oldest first. @throws Failure for an invalid field or query */
export async function queryFeedback(clickhouse: ClickHouse, query: FeedbackQuery): Promise<FoundFeedback> {
  const { projectName, limit, offset } = query;
  checkCount('fields in its sort_by', query.sortBy.length, queryLimits.sortFields);
  checkCount('fields', query.fields.length, queryLimits.selectedFields);
  const params = new SqlParams();
  const resolveField = feedbackFields(projectName, params);
  const conditions = [`project_id = ${params.string(query.projectId)}`];
  if (query.query) conditions.push(querySql(query.query, resolveField, params).sql);
  const from = `FROM feedback FINAL WHERE ${conditions.join(' AND ')}`;
  const count = async () => {
    const [row] = await clickhouse.query<{ count: number }>(`SELECT count() AS count ${from}`, params.values);
    return row!.count;
  };
  if (query.fields.length === 1 && query.fields[0] === countField) {
    const totalCount = await count();
    const isOnPage = limit !== 0 && !offset; // the count is the only row
    return { result: isOnPage ? [JSON.stringify({ [countField]: totalCount })] : [], totalCount };
  }
  const { sql, toJson } = selectFeedback(query.fields.length > 0 ? query.fields : answeredFields, projectName, params);
  const order = query.sortBy.map(({ field, direction }) => orderSql(resolveField(field), direction).sql);
  const page = `${limit === null ? '' : `LIMIT ${limit}`} ${offset ? `OFFSET ${offset}` : ''}`;
  const rows =
    limit === 0
      ? []
      : await clickhouse.query<SelectedRow>(
          `SELECT ${sql} ${from} ORDER BY ${[...order, 'created_at', 'id'].join(', ')} ${page}`,
          params.values,
        );
  const isAll = limit === null && !offset;
  return { result: rows.map(toJson), totalCount: isAll ? rows.length : await count() };
}

const countField = 'count(*)';
