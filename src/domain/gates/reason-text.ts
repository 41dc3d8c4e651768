import type { RejectReason } from '../statistics/gate.ts';
import type { StoredPlan } from './stored-plan.ts';

/** Why a candidate is rejected, as a sentence. */
export function reasonText({ target, guardrails }: StoredPlan, reason: RejectReason): string {
  switch (reason.kind) {
    case 'gain-too-small':
      return `The gain in ${target.name} is below ${target.gain}, the smallest that matters.`;
    case 'guardrail-worse': {
      const margin = guardrails.find(({ name }) => name === reason.name)?.margin;
      return `${reason.name} is worse than before by more than its margin, ${margin}.`;
    }
    case 'watched-harm':
      return `${reason.name} is worse than before.`;
    default:
      return reason satisfies never;
  }
}
