import type { LoopPlan } from '../../contract/loops/loop.ts';
import type { VerdictName } from '../gates/gate-record.ts';
import type { PolicyLook } from '../policies/look.ts';

/** Where a turn is. `docs/loops.md` describes the phases. */
export type TurnPhase = 'waiting' | 'collecting' | 'training' | 'testing' | 'asking' | 'rolling-out' | 'ended';

export type TurnOutcome =
  | 'promoted'
  | 'nothing-to-train'
  | 'over-budget'
  | 'rejected'
  | 'not-enough-evidence'
  | 'declined'
  | 'returned'
  | 'changed'
  | 'failed'
  | 'canceled';

/** What the phases of a turn have found so far. */
export type TurnFound = {
  collected?: {
    matched: number;
    read: number;
    kept: number;
    tokens: number;
    skipped: { reason: string; count: number }[];
  };
  /** The model that is to be improved, and its prompt. */
  incumbent?: { name: string; model: string; prompt: string | null };
  jobId?: string;
  candidate?: string;
  gateId?: string;
  verdict?: VerdictName;
  question?: { text: string; askedAt: string };
  rollout?: TurnRollout;
  /** What it waits for. */
  waitsFor?: string;
};

export type TurnRollout = {
  /** The version of the policy before the candidate had traffic, and that of the latest stage. */
  versionBefore: number;
  version: number;
  /** From 1; past the last one, the candidate has all traffic. */
  stage: number;
  stageBeganAt: string;
  counted: number | null;
};

/** After so many failed turns in a row, a loop is paused. */
export const failuresMax = 3;

/**
 * How many units of a candidate count so far in a stage, for the scorer that has the fewest; null if no scorer decides anything.
 * Scorers that are only shown hold nothing up.
 */
export function countedUnits(
  look: PolicyLook | null,
  { scorers }: LoopPlan['rollout'],
  candidate: string,
): number | null {
  const deciding = scorers.filter(({ missing }) => missing !== 'shown_only').map(({ reward }) => reward);
  if (deciding.length === 0) return null;
  const counts = deciding.map((reward) => {
    const scored = look?.scorers.find((each) => each.reward === reward);
    return scored?.variants.find(({ name }) => name === candidate)?.counted ?? 0;
  });
  return Math.min(...counts);
}

/** Whether a stage has lasted long enough. */
export function isStageOver(rollout: LoopPlan['rollout'], { stageBeganAt, counted }: TurnRollout, now: Date): boolean {
  const hours = (now.getTime() - Date.parse(stageBeganAt)) / 3_600_000;
  return hours >= rollout.hours && (counted === null || counted >= rollout.units);
}

/** The time at which the turn after one that began at `startedAt` begins. */
export function nextTurnAt({ every_hours: hours }: LoopPlan, startedAt: Date | null, now: Date): Date | null {
  if (hours === null) return null;
  const due = (startedAt ?? now).getTime() + hours * 3_600_000;
  return new Date(Math.max(due, now.getTime()));
}
