import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tables/query.ts';
import type { Handler } from '../../http/bind.ts';
import { type AnsweredRow, answerRows } from './row-answer.ts';

export function tableQuery(context: Context): Handler<typeof contract.tableQuery> {
  return async ({ body, caller }) => {
    const rows: AnsweredRow[] = [];
    for await (const page of answerRows(context, caller, body)) rows.push(...page);
    return { rows };
  };
}
