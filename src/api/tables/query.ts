import type { Context } from '../../context.ts';
import type { tableQuery } from '../../contract/tables/query.ts';
import type { Handler } from '../../http/bind.ts';
import { type AnsweredRow, readTable } from './read-table.ts';

export function queryTable(context: Pick<Context, 'identity' | 'clickhouse'>): Handler<typeof tableQuery> {
  return async ({ body, caller }) => {
    const rows: AnsweredRow[] = [];
    for await (const page of readTable(context, caller, body)) rows.push(...page);
    return { rows };
  };
}
