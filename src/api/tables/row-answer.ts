import type { Context } from '../../context.ts';
import type { TableQuery } from '../../contract/tables/query.ts';
import type { Caller } from '../../identity/identity.ts';
import { JsonText } from '../../util/json/json-text.ts';

export type AnsweredRow = { digest: string; val: JsonText; original_index: number };

/** The rows that a query asks for as clients see them, in pages. */
export async function* answerRows(
  { identity, services: { tables } }: Context,
  caller: Caller,
  { project_id: project, digest, filter, sort_by: sortBy, limit, offset }: TableQuery,
): AsyncGenerator<AnsweredRow[]> {
  const projectId = await identity.projectForRead(caller, project);
  const query = { projectId, digest, rowDigests: filter?.row_digests, sortBy, limit, offset };
  for await (const rows of tables.rows(query, caller)) {
    yield rows.map((row) => ({ digest: row.digest, val: new JsonText(row.text), original_index: row.position }));
  }
}
