/** What is known of a version: what its variants were assigned, and what became of it. */
export type PolicyLook = {
  /** Microseconds since 1970: feedback counts if its window has closed by then. */
  until: number;
  variants: VariantLook[];
  scorers: ScorerLook[];
  sampleRatio: SampleRatioLook;
  /** Null for other kinds of traffic. */
  bestArm: BestArmLook | null;
};

/** What all versions show that are compared together. */
export type BestArmLook = {
  reward: string;
  /** The first of these versions. */
  since: number;
  /** The variant that is shown to be best; null if there is none yet. */
  winner: string | null;
  /** Why none is, although one has the better feedback: it would not be if missing feedback counted against it. */
  warning: string | null;
  arms: ArmLook[];
};

type ArmLook = {
  name: string;
  /** Whether it was not returned, and so can be best. */
  isIn: boolean;
  counted: number;
  missing: number;
  /** As if shares had always been the same, with bounds that hold at all looks. */
  mean: number | null;
  lower: number | null;
  upper: number | null;
  /** The mean if missing feedback were as bad, or as good, as can be. */
  lowest: number | null;
  highest: number | null;
  /** Evidence now that another arm is better: an e-value, at least 1. */
  evidenceAgainst: number;
};

export type VariantLook = {
  name: string;
  /** Threads, users or single requests. */
  units: number;
  /** Of these, those that may have had another variant before: they are left out below. */
  movedUnits: number;
  answers: number;
  /** Answers where the variant failed, whoever answered then. */
  failures: number;
};

type ScorerLook = { reward: string; variants: ScoredVariant[] };

export type ScoredVariant = {
  name: string;
  /** Units whose window is open. */
  open: number;
  /** Units that count, with the mean of their rewards; its bounds hold at all looks together with 95 %, nearly. */
  counted: number;
  mean: number | null;
  lower: number | null;
  upper: number | null;
  /** Units whose window closed without feedback. With `zero`, they are counted, too. */
  missing: number;
  /** Evidence that the variant is worse than the incumbent: a p-value that is valid at all times. Null where nothing is tested. */
  harmP: number | null;
};

type SampleRatioLook = {
  /** A p-value that is valid at all times, of the assigned units being a sample with the planned shares. */
  p: number;
  isMismatch: boolean;
};

/** Why the traffic of a variant was returned. */
export type Breach = {
  variant: string;
  reward: string;
  alpha: number;
  counted: number;
  mean: number;
  incumbentMean: number;
};
