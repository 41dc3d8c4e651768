import type { Suite } from '../../domain/suites/suite.ts';
import type { Caller } from '../../identity/identity.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Tables } from '../tables/tables.ts';

/** A thread of a suite with its rows, which may be anywhere in the dataset. */
export type SuiteThread = { id: string; rows: { index: number; digest: string }[] };

/** Groups the rows of a suite by thread. @param visit is called with each row's plain value */
export async function readSuiteThreads(
  tables: Pick<Tables, 'rows'>,
  { table, threadColumn }: Pick<Suite, 'table' | 'threadColumn'>,
  caller: Caller,
  visit: (row: Record<string, unknown>, thread: string, index: number) => void = () => {},
): Promise<Map<string, SuiteThread>> {
  const threads = new Map<string, SuiteThread>();
  let index = 0;
  for await (const rows of tables.rows(table, caller)) {
    for (const { digest, text } of rows) {
      const row = plainRow(text);
      const id = threadColumn === null ? String(index) : String(row[threadColumn]);
      const thread = threads.get(id) ?? { id, rows: [] };
      threads.set(id, thread);
      thread.rows.push({ index, digest });
      visit(row, id, index);
      index++;
    }
  }
  return threads;
}

function plainRow(text: string): Record<string, unknown> {
  const row: unknown = parsePlain(text);
  return isObject(row) ? row : { value: row };
}
