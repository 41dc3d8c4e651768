import type { ListedGate } from '../../api/gates.ts';
import { RefLink } from '../RefLink.tsx';
import { modelNames } from './model-name.ts';

type ComparedModelProps = {
  gate: Pick<ListedGate, 'candidate' | 'incumbent'>;
  side: 'candidate' | 'incumbent';
};

/** A link to the version of a model that a gate compares. */
export function ComparedModel({ gate, side }: ComparedModelProps) {
  return <RefLink value={gate[side].ref}>{modelNames(gate)[side]}</RefLink>;
}
