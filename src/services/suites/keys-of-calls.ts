import { type GroupKey, groupKeysOfCall } from '../../domain/suites/group-keys.ts';
import { readCallsById } from '../../store/clickhouse/calls/find/read-calls-by-id.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';

/** Read from the store together. */
const callsTogether = 200;

/** The trace, the thread and the user of calls; those that do not exist are left out. */
export async function keysOfCalls(
  { clickhouse }: Pick<Deps, 'clickhouse'>,
  projectId: string,
  ids: Iterable<string>,
): Promise<Map<string, GroupKey[]>> {
  const all = [...ids];
  const found = new Map<string, GroupKey[]>();
  for (let from = 0; from < all.length; from += callsTogether) {
    const calls = await readCallsById(clickhouse, {
      projectId,
      ids: all.slice(from, from + callsTogether),
      columns: new Set(['attributes', 'inputs'] as const),
      includeStorageSize: false,
      includeTotalStorageSize: false,
    });
    for (const { id, attributes, inputs, ...call } of calls) {
      found.set(id, groupKeysOfCall({ ...call, attributes: parsePlain(attributes), inputs: parsePlain(inputs) }));
    }
  }
  return found;
}
