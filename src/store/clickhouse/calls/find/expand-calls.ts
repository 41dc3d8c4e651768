import type { PayloadColumn } from '../../../../domain/calls/call-field.ts';
import { findSlot, type Slot, withRef } from '../../../../domain/calls/expand-payload.ts';
import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import { type LosslessJson, parseLossless, stringifyLossless } from '../../../../util/json/lossless.ts';
import type { Expansion } from '../sql/expansions-sql.ts';
import { expandedPlaces, type RefExpansion } from './resolve-expansions.ts';

/** Replaces refs at the expanded locations with the values of their objects. Refs that do not resolve stay. */
export async function expandCalls(calls: FoundCall[], expansion: RefExpansion): Promise<FoundCall[]> {
  const places = expandedPlaces(expansion.paths);
  const trees = calls.map(() => new Map<PayloadColumn, LosslessJson>());
  for (const place of places) {
    const found = calls.flatMap((call, i) => findRef(call, trees[i]!, place) ?? []);
    if (found.length === 0) continue;
    const values = await expansion.resolveRefs([...new Set(found.map(({ ref }) => ref))]);
    for (const { ref, slot } of found) {
      const value = values.get(ref);
      if (value !== undefined) slot.replace(withRef(parseLossless(value), ref));
    }
  }
  return calls.map((call, i) => ({ ...call, ...texts(trees[i]!) }));
}

/** The ref at a location of a call. Payloads without refs are not parsed. */
function findRef(
  call: FoundCall,
  trees: Map<PayloadColumn, LosslessJson>,
  { column, path }: Pick<Expansion, 'column' | 'path'>,
): { ref: string; slot: Slot } | null {
  if (!trees.has(column)) {
    if (!call[column].includes('weave:')) return null;
    trees.set(column, parseLossless(call[column]));
  }
  const root: Slot = { value: trees.get(column)!, replace: (value) => trees.set(column, value) };
  const slot = findSlot(root, path);
  if (typeof slot?.value !== 'string' || !slot.value.startsWith('weave:///')) return null;
  return { ref: slot.value, slot };
}

function texts(trees: Map<PayloadColumn, LosslessJson>): Partial<Record<PayloadColumn, string>> {
  return Object.fromEntries([...trees].map(([column, tree]) => [column, stringifyLossless(tree)]));
}
