import { type TableRow, toTableRow } from '../../domain/tables/table-row.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { mapInTurns } from '../../util/turns.ts';
import { internalRefs } from '../refs/convert-refs.ts';

/** Computes the digests of rows, with pauses in which other requests are served: 31 MiB of rows take seconds. */
export async function prepareRows(identity: Identity, caller: Caller, rows: JsonText[]): Promise<TableRow[]> {
  const toInternal = await internalRefs(identity, caller, texts(rows));
  return mapInTurns(rows, ({ text }) => toTableRow(text, toInternal));
}

function* texts(rows: JsonText[]): Generator<string> {
  for (const { text } of rows) yield text;
}
