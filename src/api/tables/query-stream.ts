import type { Context } from '../../context.ts';
import type { tableQueryStream } from '../../contract/tables/query-stream.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { toJson } from '../../util/json/write.ts';
import { answerRows } from './row-answer.ts';

export function streamTable(context: Context): Handler<typeof tableQueryStream> {
  return async (input) => lines(context, input);
}

async function* lines(context: Context, { body, caller }: Input<typeof tableQueryStream>): AsyncGenerator<string> {
  for await (const page of answerRows(context, caller, body)) {
    if (page.length > 0) yield page.map((row) => `${toJson(row)}\n`).join('');
  }
}
