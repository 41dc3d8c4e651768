import { invalidInput } from '../../util/failures.ts';
import type { LosslessJson } from '../../util/json/lossless.ts';
import type { RefStep } from '../refs.ts';
import { parseInternalRef } from './internal-ref.ts';

/** An item in the walk's project that the walk needs to continue. */
export type WalkNeed =
  | { kind: 'object'; objectId: string; digest: string }
  | { kind: 'row'; table: string; digest: string };

/**
 * Yields the item it needs and receives its value, null if it was deleted; returns the value at the end of the path.
 */
export type Walk = Generator<WalkNeed, LosslessJson, LosslessJson>;

/**
 * Follows the steps of a ref into the value of an object. Refs on the path are resolved too; a ref at its end is the
 * result. If a step leads nowhere, or into another project, the result is null.
 * @throws Failure for a step `id` that is not into a table, and for any other step into one.
 */
export function* walkRef(projectId: string, root: { objectId: string; digest: string; steps: RefStep[] }): Walk {
  let value = yield { kind: 'object', objectId: root.objectId, digest: root.digest };
  let steps = root.steps;
  for (let hops = 0; steps.length > 0; ) {
    const ref = typeof value === 'string' ? parseInternalRef(value) : null;
    if (ref === null || (ref.kind !== 'object' && ref.kind !== 'op' && ref.kind !== 'table')) {
      value = takeStep(value, steps[0]!);
      steps = steps.slice(1);
      continue;
    }
    if (ref.projectId !== projectId) return null;
    if (++hops > hopsMax) throw invalidInput(`A ref may lead through ${hopsMax} other refs at most`);
    steps = [...ref.steps, ...steps];
    if (ref.kind !== 'table') {
      value = yield { kind: 'object', objectId: ref.name, digest: ref.digest };
      continue;
    }
    const [row, ...rest] = steps;
    if (row!.edge !== 'id') throw invalidInput('Table refs must have id extra');
    value = yield { kind: 'row', table: ref.digest, digest: row!.value };
    steps = rest;
  }
  return value;
}

/** Each hop takes one read of the stores. */
const hopsMax = 32;

function takeStep(value: LosslessJson, { edge, value: name }: RefStep): LosslessJson {
  if (value === null) return null;
  switch (edge) {
    case 'attr':
    case 'key':
      return (value instanceof Map ? value.get(name) : null) ?? null;
    case 'index':
      return (Array.isArray(value) ? value.at(Number(name)) : null) ?? null;
    case 'id':
      throw invalidInput('Unknown ref type: id');
    default:
      return edge satisfies never;
  }
}
