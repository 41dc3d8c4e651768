import type { Context } from '../../context.ts';
import type { tableQueryStream } from '../../contract/tables/query-stream.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { toJson } from '../../util/json/write.ts';
import { readTable } from './read-table.ts';

export function streamTable(context: Pick<Context, 'identity' | 'clickhouse'>): Handler<typeof tableQueryStream> {
  return async (input) => lines(context, input);
}

async function* lines(
  context: Pick<Context, 'identity' | 'clickhouse'>,
  { body, caller }: Input<typeof tableQueryStream>,
): AsyncGenerator<string> {
  for await (const page of readTable(context, caller, body)) {
    if (page.length > 0) yield page.map((row) => `${toJson(row)}\n`).join('');
  }
}
