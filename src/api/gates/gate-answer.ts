import { derivedId } from '../../domain/calls/ids.ts';
import type { Estimate } from '../../domain/gates/comparison.ts';
import type { GateRecord } from '../../domain/gates/gate-record.ts';
import { reasonText } from '../../domain/gates/reason-text.ts';
import { whatItTests } from '../../domain/gates/verdict.ts';
import type { GateProgress, SuiteUse } from '../../services/gates/gates.ts';

/** A gate as lists show it. */
export function gateAnswer(gate: GateRecord) {
  const { id, number, plan, state, error, verdict } = gate;
  const modelOf = (side: 'candidate' | 'incumbent') => ({ ...gate[side], evaluation_call_id: derivedId(id, side) });
  return {
    ...{ id, suite: gate.suiteName, number, candidate: modelOf('candidate'), incumbent: modelOf('incumbent') },
    ...{ evaluation: gate.evaluationRef, plan: { ...plan }, state, error, verdict },
    created_by: gate.createdBy,
    created_at: gate.createdAt.toISOString(),
    started_at: gate.startedAt?.toISOString() ?? null,
    ended_at: gate.endedAt?.toISOString() ?? null,
  };
}

/** A gate with its evidence. */
export function gateWithProgressAnswer(
  gate: GateRecord,
  progress: GateProgress,
  { alpha, use }: { alpha: number; use: SuiteUse },
) {
  return {
    ...gateAnswer(gate),
    progress: progressAnswer(gate, progress),
    suite_use: {
      ...{ alpha, candidates: use.candidates, promoted: use.promoted, next_alpha: use.nextAlpha },
      candidates_left: use.candidatesLeft,
    },
    tests: whatItTests,
  };
}

function progressAnswer({ plan }: GateRecord, { look, estimates, points, rows, threads }: GateProgress) {
  const line = ({ shown, pValue }: { shown: boolean; pValue: number }) => ({ shown, p_value: pValue });
  const rowsPerThread = threads === 0 ? 1 : rows / threads;
  const needed = look.verdict === null || look.verdict.kind === 'not-enough-evidence' ? look.threadsNeeded : 0;
  const reasons = look.verdict?.kind === 'reject' ? look.verdict.reasons : [];
  return {
    threads,
    threads_max: plan.threadsMax,
    rows,
    threads_needed: needed,
    rows_needed: Math.ceil(needed * rowsPerThread),
    reasons: reasons.map((reason) => reasonText(plan, reason)),
    on_traffic: line(look.onTraffic),
    on_suite: line(look.onSuite),
    gain_too_small: line(look.gainTooSmall),
    target: { name: plan.target.name, gain: plan.target.gain, ...estimateAnswer(estimates?.target) },
    target_of_all: plan.trainedOn.length === 0 ? null : estimateAnswer(estimates?.targetOfAll),
    guardrails: look.guardrails.map(({ name, worse, ...each }, i) => ({
      ...{ name, worse, margin: plan.guardrails[i]!.margin },
      ...line(each),
      ...estimateAnswer(estimates?.guardrails[i]),
    })),
    watched: look.watched.map((each, i) => ({
      ...{ name: each.name, state: each.state, harm: plan.watched[i]!.harm, p_value: each.pValue },
      threads_needed: each.threadsNeeded,
      ...estimateAnswer(estimates?.watched[i]),
    })),
    points,
  };
}

function estimateAnswer(estimate: Estimate | undefined) {
  if (estimate === undefined) return { threads: 0, mean: null, lower: null, upper: null };
  return { threads: estimate.threads, mean: estimate.mean, ...estimate.bounds };
}
