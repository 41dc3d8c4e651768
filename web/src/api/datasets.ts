import { recordOfEntries } from '../format/key-order.ts';
import { refOfTable } from '../refs.ts';
import { ask } from './client.ts';
import type { RequestOf } from './contract.ts';
import type { ObjectVersion } from './objects.ts';

type Row = Record<string, unknown>;
export type RowChange = RequestOf<'POST /table/update'>['body']['updates'][number];

/** The name of the field in which a row keeps the ref of the call that it was made from. */
export const sourceField = 'source_call';

/**
 * Publishes a version of a dataset with changed rows, and returns its digest. If another version was published after the given
 * one, nothing is published. @throws RequestError with status 409 for that
 */
export async function publishChangedRows(
  dataset: Pick<ObjectVersion, 'project_id' | 'object_id' | 'digest' | 'val'>,
  baseDigest: string,
  updates: RowChange[],
): Promise<string> {
  const { project_id, object_id, digest: expected_latest } = dataset;
  const table = await ask('POST /table/update', { body: { project_id, base_digest: baseDigest, updates } });
  const rows = ['rows', refOfTable(project_id, table.digest)] as const;
  const val = recordOfEntries([...Object.entries(dataset.val as object), rows]);
  return (await ask('POST /obj/create', { body: { obj: { project_id, object_id, val, expected_latest } } })).digest;
}

/** Publishes the first version of a dataset, as the SDKs do, and returns its digest. */
export async function publishNewDataset(project_id: string, name: string, rows: Row[]): Promise<string> {
  const table = await ask('POST /table/create', { body: { table: { project_id, rows } } });
  const classes = { _type: 'Dataset', _class_name: 'Dataset', _bases: ['Object', 'BaseModel'] };
  const val = { ...classes, name, description: null, rows: refOfTable(project_id, table.digest) };
  return (await ask('POST /obj/create', { body: { obj: { project_id, object_id: name, val } } })).digest;
}
