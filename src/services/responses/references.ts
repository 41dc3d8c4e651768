import { parseItemId } from '../../chat/responses/ids.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import { Failure } from '../../util/failures.ts';
import { itemsOf } from './items.ts';
import type { StoredResponse } from './stored-response.ts';

/**
 * Replaces items that only refer to an item of a stored response by that item.
 * @throws Failure if there is no item with this id
 */
export async function resolveReferences(
  items: readonly InputItem[],
  findAll: (ids: string[]) => Promise<StoredResponse[]>,
): Promise<InputItem[]> {
  const references = items.filter(isReference).map(({ id }) => String(id));
  if (references.length === 0) return [...items];
  const wanted = new Set(references.map((id) => parseItemId(id)?.responseId ?? missing(id)));
  const found = new Map((await findAll([...wanted])).map((stored) => [stored.id, stored]));
  return items.map((item) => (isReference(item) ? referred(String(item.id), found) : item));
}

function isReference({ type }: InputItem): boolean {
  return type === 'item_reference';
}

function referred(id: string, found: ReadonlyMap<string, StoredResponse>): InputItem {
  const { responseId, kind, index } = parseItemId(id)!;
  const stored = found.get(responseId)!;
  const item = kind === 'output' ? stored.body.output[index] : itemsOf(stored)[index];
  // An input item may itself be a reference; clients refer to its target directly.
  if (item === undefined || item.id !== id || item.type === 'item_reference') return missing(id);
  return item as InputItem;
}

function missing(id: string): never {
  throw new Failure('invalidInput', `Item with id '${id.slice(0, 200)}' not found.`, { param: 'input' });
}
