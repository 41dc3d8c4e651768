import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tables/query-stream.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { toJson } from '../../util/json/write.ts';
import { answerRows } from './row-answer.ts';

export function tableQueryStream(context: Context): Handler<typeof contract.tableQueryStream> {
  return async (input) => lines(context, input);
}

async function* lines(
  context: Context,
  { body, caller }: Input<typeof contract.tableQueryStream>,
): AsyncGenerator<string> {
  for await (const page of answerRows(context, caller, body)) {
    if (page.length > 0) yield page.map((row) => `${toJson(row)}\n`).join('');
  }
}
