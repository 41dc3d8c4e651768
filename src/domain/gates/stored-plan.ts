import type { GatePlan } from '../statistics/plan.ts';

/**
 * Where the values of a metric come from: `latency` (seconds), `cost` (US dollars) or `output_tokens` of an answer, or a score: the
 * key of its scorer, with the path to a number in it, as in `judge.helpful`.
 */
type Sourced<Part> = Part & { source: string };

/** Rows whose column has this value, as text. */
export type Slice = { column: string; value: string };

type PlannedTarget = Sourced<GatePlan['target']>;
type PlannedGuardrail = Sourced<GatePlan['guardrails'][number]>;
export type PlannedWatch = Sourced<GatePlan['watched'][number]> & { slice: Slice | null };

/** A gate's plan as it is stored before the first answer. Its threads and their budget count clean threads only. */
export type StoredPlan = Omit<GatePlan, 'target' | 'guardrails' | 'watched'> & {
  target: PlannedTarget;
  guardrails: PlannedGuardrail[];
  watched: PlannedWatch[];
  /** Answers of each model to each row. */
  repeats: number;
  /** Gives the order of the threads (`threadOrder`). */
  seed: string;
  /** The most rows that are answered; null: all of the suite. */
  rowsMax: number | null;
  /** Rows of the suite that are like rows that one of the models was trained on: their threads do not decide. */
  trainedOn: number[];
};
