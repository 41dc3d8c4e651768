/** What a name stands for: several variants, and how traffic is divided among them. */
export type PolicyPlan = {
  variants: Variant[];
  /** The variant that answers where no other one does. */
  incumbent: string;
  traffic: Traffic;
  scorers: PolicyScorer[];
  /** How often traffic may be returned although no variant is worse, for all variants and scorers of a version together. */
  alpha: number;
};

export type Variant = {
  name: string;
  /** The model, as a request names it: a served one, a checkpoint, or one of a provider. */
  model: string;
  /** The ref of a published prompt whose messages come first; null for none. */
  prompt: string | null;
};

export type Traffic =
  | { kind: 'split'; shares: Record<string, number> }
  /** The candidate gets the share of a stage; at stage 0 none. */
  | { kind: 'stages'; candidate: string; stages: number[]; stage: number }
  /** The candidate answers a share of the requests as well, and nobody sees its answers. */
  | { kind: 'shadow'; candidate: string; share: number; tokensPerDay: number };

export type PolicyScorer = {
  /** Where the reward is, as in training from calls: the name of a score, or `feedback.[TYPE].payload.PATH`. */
  reward: string;
  /** The values that count as 0 and as 1. */
  low: number;
  high: number;
  /** How long after the first answer of a unit feedback counts. */
  windowSeconds: number;
  /** What a unit without feedback means when its window has closed. With `shown_only`, the scorer decides nothing. */
  missing: 'ignore' | 'zero' | 'shown_only';
  /** How much worse a variant must be for its traffic to be returned soon: it tunes the bets. */
  harm: number;
};

/** The share of each variant, in the order of the variants. */
export function sharesOf({ variants, incumbent, traffic }: PolicyPlan): number[] {
  const share = (name: string): number => {
    if (traffic.kind === 'split') return traffic.shares[name] ?? 0;
    const ofCandidate = traffic.kind === 'shadow' ? 0 : stageShare(traffic);
    if (name === traffic.candidate) return ofCandidate;
    return name === incumbent ? 1 - ofCandidate : 0;
  };
  return variants.map(({ name }) => share(name));
}

function stageShare({ stages, stage }: Extract<Traffic, { kind: 'stages' }>): number {
  return stage === 0 ? 0 : stages[stage - 1]!;
}

/** The same plan after the traffic of a variant is returned to the incumbent. */
export function withoutTraffic(plan: PolicyPlan, variant: string): PolicyPlan {
  const { traffic, incumbent } = plan;
  if (traffic.kind === 'stages') return { ...plan, traffic: { ...traffic, stage: 0 } };
  if (traffic.kind === 'shadow') return plan;
  const { [variant]: returned = 0, ...rest } = traffic.shares;
  const shares = { ...rest, [variant]: 0, [incumbent]: (rest[incumbent] ?? 0) + returned };
  return { ...plan, traffic: { kind: 'split', shares } };
}
