import { setImmediate } from 'node:timers/promises';
import { type TableRow, toTableRow } from '../../domain/tables/table-row.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { internalRefs } from '../refs/convert-refs.ts';

/** Computes the digests of rows, with pauses in which other requests are served: 31 MiB of rows take seconds. */
export async function prepareRows(identity: Identity, caller: Caller, rows: JsonText[]): Promise<TableRow[]> {
  const toInternal = await internalRefs(identity, caller, texts(rows));
  const prepared: TableRow[] = [];
  let characters = 0;
  for (const { text } of rows) {
    prepared.push(toTableRow(text, toInternal));
    characters += text.length;
    if (characters < charactersPerTurn) continue;
    characters = 0;
    await setImmediate();
  }
  return prepared;
}

const charactersPerTurn = 256 * 1024;

function* texts(rows: JsonText[]): Generator<string> {
  for (const { text } of rows) yield text;
}
