import type { Context } from '../../context.ts';
import type { TableQuery } from '../../contract/tables/query.ts';
import { checkPage } from '../../domain/query/page.ts';
import { parseRowOrder } from '../../domain/tables/row-order.ts';
import type { Caller } from '../../identity/identity.ts';
import { readRows } from '../../store/clickhouse/tables/read-rows.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { externalRefs } from '../../services/refs/convert-refs.ts';

export type AnsweredRow = { digest: string; val: JsonText; original_index: number };

/** The rows that a query asks for, in pages. @throws ApiError 400 for a page or an order that cannot be. */
export async function* readTable(
  { identity, clickhouse }: Pick<Context, 'identity' | 'clickhouse'>,
  caller: Caller,
  query: TableQuery,
): AsyncGenerator<AnsweredRow[]> {
  const projectId = await identity.projectForRead(caller, query.project_id);
  checkPage(query, 'a positive integer');
  const only = query.filter?.row_digests;
  const pages = readRows(clickhouse, {
    projectId,
    digest: query.digest,
    rowDigests: only?.length ? only : null,
    order: parseRowOrder(query.sort_by ?? []),
    offset: query.offset ?? 0,
    limit: query.limit,
  });
  for await (const page of pages) {
    const toExternal = await externalRefs(
      identity,
      caller,
      page.map(({ text }) => text),
    );
    yield page.map(({ digest, position, text }) => ({
      digest,
      val: new JsonText(toExternal(text)),
      original_index: position,
    }));
  }
}
