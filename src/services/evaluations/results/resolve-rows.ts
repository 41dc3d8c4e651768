import type { Caller } from '../../../identity/identity.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Deps } from '../../deps.ts';
import { resolveRefs } from '../../refs/resolve-refs.ts';
import { rowDigestOf } from './to-trial.ts';

/** The rows that examples (JSON texts) name, or the examples themselves; `isComplete` unless a ref could not be resolved. */
export async function resolveRows(
  stores: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>,
  caller: Caller,
  examples: string[],
): Promise<{ rows: string[]; isComplete: boolean }> {
  const refs = examples
    .filter((example) => rowDigestOf(example) !== null)
    .map((example) => JSON.parse(example) as string);
  const values = await resolveRefs(stores, caller, refs);
  let isComplete = true;
  const rows = examples.map((example) => {
    if (rowDigestOf(example) === null) return example;
    const value = values.get(parsePlain(example));
    if (value === undefined) isComplete = false;
    return value ?? example;
  });
  return { rows, isComplete };
}
