import type { Assigned } from '../../domain/policies/assign.ts';
import { Failure } from '../../util/failures.ts';
import type { LivePolicy } from './live-policies.ts';

/** The variant that a policy assigned, and who answered in the end. */
export type PolicyAssignment = {
  kind: 'policy';
  live: LivePolicy;
  assigned: Assigned;
  /** The name of the variant that answers. */
  answeredBy: string;
  /** Why the assigned variant failed; null if it did not. */
  failure: string | null;
};

export function assignmentOf(live: LivePolicy, assigned: Assigned): PolicyAssignment {
  return { kind: 'policy', live, assigned, answeredBy: assigned.variant.name, failure: null };
}

/** In `attributes.heddle.assignment`: what a comparison needs to know. */
export function recordedByPolicy({ live, assigned, ...answer }: PolicyAssignment): Record<string, unknown> {
  const { variant, unit, probability, bucket, isMoved } = assigned;
  return {
    ...{ policy: live.name, policy_id: live.policy.id, version: live.version.number, variant: variant.name },
    ...{ unit: unit.kind, unit_id: unit.id, probability, bucket, moved: isMoved },
    ...{ answered_by: answer.answeredBy, failure: answer.failure },
  };
}

/** Whether an error is the fault of the variant: a client that hung up is not. */
export function isVariantFault(error: Error): boolean {
  return !(error instanceof Failure && error.kind === 'canceled') && error.name !== 'AbortError';
}
