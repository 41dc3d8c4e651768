import { StageGuard } from '../../src/domain/statistics/arms/stage-guard.ts';

/** The mean reward of an arm at an answer. */
type Mean = (place: number) => number;

export type StageSetting = {
  name: string;
  share: number;
  incumbent: Mean;
  candidate: Mean;
  /** A run ends with so many answers of the candidate. */
  most: number;
  /** The share of the candidate's answers that have no feedback, and so are not added. */
  missing?: number;
};

/** At most 5 % may be breached where arms are equal, and at least 95 % where the candidate is 10 points worse. */
export const equalStages: StageSetting[] = [
  ...[0.02, 0.5, 0.9, 0.98].map((rate) => equal(`equal at ${rate}`, () => rate)),
  equal('equal, both fall from 0.9 to 0.3', (place) => 0.9 - (0.6 * place) / 6000),
  equal('equal, both change between 0.1 and 0.9 every 700 answers', (place) => (place % 1400 < 700 ? 0.9 : 0.1)),
  equal('equal, both swing daily between 0.4 and 0.8', (place) => 0.6 + 0.2 * Math.sin(place / 300)),
  { ...equal('the same, half of the feedback missing', (place) => 0.6 + 0.2 * Math.sin(place / 300)), missing: 0.5 },
];

export const worseStages: StageSetting[] = [
  { name: '0.5 to 0.4', share: 0.1, incumbent: () => 0.5, candidate: () => 0.4, most: 450 },
  { name: '0.9 to 0.8', share: 0.1, incumbent: () => 0.9, candidate: () => 0.8, most: 250 },
];

/** Of each run, after how many counted answers of the candidate its guard was breached; infinite if it never was. In ascending order. */
export function breaches(setting: StageSetting, runs: number, random: () => number): number[] {
  const { share, incumbent, candidate, most, missing = 0 } = setting;
  const found: number[] = [];
  for (let run = 0; run < runs; run++) {
    const guard = new StageGuard({ alpha: 0.05, harm: 0.1 });
    let counted = 0;
    let breached = Infinity;
    for (let place = 0; counted < most && breached === Infinity; place++) {
      const isCandidate = random() < share;
      if (isCandidate && missing > 0 && random() < missing) continue;
      const mean = isCandidate ? candidate(place) : incumbent(place);
      guard.add(isCandidate ? 'candidate' : 'incumbent', random() < mean ? 1 : 0);
      if (isCandidate) counted++;
      // Between blocks, a look is as the one before.
      if (place % 10 === 0 && guard.look().breached) breached = counted;
    }
    found.push(guard.look().breached ? Math.min(breached, counted) : Infinity);
  }
  return found.sort((a, b) => a - b);
}

/** Runs have 600 answers of the candidate, of 6,000. */
function equal(name: string, mean: Mean): StageSetting {
  return { name, share: 0.1, incumbent: mean, candidate: mean, most: 600 };
}
