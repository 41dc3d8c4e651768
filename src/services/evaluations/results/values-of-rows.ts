import type { Trial } from '../../../domain/evaluations/results/trial.ts';
import type { Caller } from '../../../identity/identity.ts';
import { isObject } from '../../../util/json/own-member.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Deps } from '../../deps.ts';
import { resolveRefs } from '../../refs/resolve-refs.ts';

type Stores = Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>;

/**
 * Replaces refs in scores with the values of rows. If a scorer returns a value of its row unchanged, the SDK records a
 * ref to it.
 */
export async function withValuesOfRows(stores: Stores, caller: Caller, trials: Trial[]): Promise<Trial[]> {
  const refs = new Set<string>();
  const collect = (value: unknown): void => {
    if (isRefToRow(value)) refs.add(value);
    else if (isObject(value)) Object.values(value).forEach(collect);
  };
  for (const { scores } of trials) collect(scores);
  if (refs.size === 0) return trials;
  const values = await resolveRefs(stores, caller, [...refs]);
  const resolved = (value: unknown): unknown => {
    if (isRefToRow(value)) return values.has(value) ? parsePlain(values.get(value)!) : value;
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]));
  };
  return trials.map((trial) => ({ ...trial, scores: resolved(trial.scores) as Trial['scores'] }));
}

function isRefToRow(value: unknown): value is string {
  return typeof value === 'string' && refToRow.test(value);
}

const refToRow = /^weave:\/\/\/.*\/attr\/rows\/id\/[^/]+\//;
