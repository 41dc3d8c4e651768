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
  | { kind: 'shadow'; candidate: string; share: number; tokensPerDay: number }
  | BestArmTraffic;

/** The shares follow the outcomes by a scorer, at most hourly. A variant with the share 0 is out. */
export type BestArmTraffic = {
  kind: 'best_arm';
  scorer: string;
  /** The smallest share of each variant that is not out. */
  least: number;
  /** Null for equal ones, or those of the version before. */
  shares: Record<string, number> | null;
  /** What the others get once a variant is shown to be best. */
  afterWinner: 'keep_least' | 'all_to_winner';
};

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
    if (traffic.kind === 'best_arm') return traffic.shares === null ? 1 / variants.length : (traffic.shares[name] ?? 0);
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
  const before = Object.fromEntries(sharesOf(plan).map((share, place) => [plan.variants[place]!.name, share]));
  const returned = before[variant] ?? 0;
  const shares = { ...before, [variant]: 0, [incumbent]: (before[incumbent] ?? 0) + returned };
  return { ...plan, traffic: { ...traffic, shares } };
}

/** The same plan with the shares that it leaves open: those of the version before if its variants are the same, else equal ones. */
export function withShares(plan: PolicyPlan, before: PolicyPlan | null): PolicyPlan {
  const { traffic, variants } = plan;
  if (traffic.kind !== 'best_arm' || traffic.shares !== null) return plan;
  const names = variants.map(({ name }) => name);
  const areSame =
    before?.traffic.kind === 'best_arm' && names.join() === before.variants.map(({ name }) => name).join();
  const shares = raised(sharesOf(areSame ? before : plan), traffic.least);
  const byName = Object.fromEntries(names.map((name, place) => [name, shares[place]!]));
  return { ...plan, traffic: { ...traffic, shares: byName } };
}

/** The same shares, those above 0 raised to the least one at the cost of larger ones. */
function raised(shares: number[], least: number): number[] {
  if (shares.every((share) => share === 0 || share >= least)) return shares;
  const above = shares.map((share) => Math.max(0, share - least));
  const total = above.reduce((sum, each) => sum + each, 0);
  const free = 1 - least * shares.filter((share) => share > 0).length;
  return shares.map((share, place) => (share === 0 ? 0 : least + (free * above[place]!) / total));
}

/** Whether traffic may be moved because of a scorer. */
export function decides({ missing }: PolicyScorer): boolean {
  return missing !== 'shown_only';
}
