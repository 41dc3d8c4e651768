import { derivedId } from '../../domain/calls/ids.ts';

/** The two models that a gate compares. */
export type Side = 'candidate' | 'incumbent';
export const sides = ['candidate', 'incumbent'] as const;

/** The id of the evaluation that has the answers of a model. */
export function runIdOf(gateId: string, side: Side): string {
  return derivedId(gateId, side);
}
