import { parseRef } from '../../../domain/refs.ts';
import type { Caller } from '../../../identity/identity.ts';
import { invalidField, notFound } from '../../../util/failures.ts';
import { isObject } from '../../../util/json/own-member.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Deps } from '../../deps.ts';
import type { Objects } from '../../objects/objects.ts';
import type { Tables } from '../../tables/tables.ts';
import type { DataResolver } from './resolve-data.ts';

type DatasetDeps = Pick<Deps, 'identity'> & { objects: Objects; tables: Tables };

/** The rows of a published dataset, and those of a table. Each row is a line. */
export function datasetData({ identity, objects, tables }: DatasetDeps): DataResolver {
  return async (address, caller) => {
    if (!address.startsWith('weave:///')) return null;
    const ref = parseRef(address);
    if (ref?.kind === 'table' && ref.steps.length === 0) return rowsOf(address, caller);
    if (ref?.kind !== 'object' || ref.steps.length > 0)
      throw invalid(`${address} is not the ref of a dataset or a table`);
    const projectId = await identity.projectForRead(caller, `${ref.entity}/${ref.project}`);
    const name = { projectId, objectId: ref.name, kind: 'object' as const };
    const found = await objects.find(name, ref.digest, { caller, withValues: true });
    if (found === null) throw notFound(`${address} not found`);
    if (found.value === null) throw notFound(`${address} was deleted`);
    const value: unknown = parsePlain(found.value);
    const rows = isObject(value) ? value.rows : null;
    if (typeof rows !== 'string') throw invalid(`${address} is not a dataset: its rows are not the ref of a table`);
    return rowsOf(rows, caller);
  };

  async function rowsOf(table: string, caller: Caller): Promise<AsyncIterable<Uint8Array>> {
    const ref = parseRef(table);
    if (ref?.kind !== 'table') throw invalid(`${table} is not the ref of a table`);
    const projectId = await identity.projectForRead(caller, `${ref.entity}/${ref.project}`);
    const key = { projectId, digest: ref.digest };
    if ((await tables.count(key)) === 0) throw notFound(`${table} does not exist or has no rows`);
    return lines(tables.rows(key, caller));
  }
}

async function* lines(pages: AsyncIterable<{ text: string }[]>): AsyncGenerator<Uint8Array> {
  for await (const page of pages) yield Buffer.from(page.map(({ text }) => `${text}\n`).join(''));
}

function invalid(message: string) {
  return invalidField('training_data_url', message);
}
