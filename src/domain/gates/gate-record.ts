import type { StoredPlan } from './stored-plan.ts';

export type GateStateName = 'waiting' | 'running' | 'decided' | 'failed' | 'canceled';
export type VerdictName = 'promote' | 'reject' | 'not-enough-evidence';

/** A gate as it is stored. */
export type GateRecord = {
  id: string;
  suiteId: string;
  suiteName: string;
  /** Which candidate of the suite it is, from 1. */
  number: number;
  /** The version of the model's object, and the name it was asked for with. */
  candidate: { ref: string; name: string };
  incumbent: { ref: string; name: string };
  evaluationRef: string;
  plan: StoredPlan;
  state: GateStateName;
  error: string | null;
  verdict: VerdictName | null;
  createdBy: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};
