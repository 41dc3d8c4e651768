import type { ListedGate } from '../../api/gates.ts';
import { RefLink } from '../RefLink.tsx';
import { modelName } from './model-name.ts';

/** A link to the version of a model that a gate compares. */
export function ComparedModel({ model }: { model: ListedGate['candidate'] }) {
  return <RefLink value={model.ref}>{modelName(model)}</RefLink>;
}
