import { BestArm, type BestArmVerdict } from '../../src/domain/statistics/arms/best-arm.ts';
import { nextShares } from '../../src/domain/statistics/arms/next-shares.ts';

type ArmSetting = {
  /** The mean reward, which `drift` changes for all arms alike. */
  mean: number;
  /** The probability of feedback, by its reward, and how late it comes on average, in hours. */
  feedback: [bad: number, good: number];
  delay: number;
};

export type ArmsSetting = { name: string; arms: ArmSetting[]; drift: number; answers: number };

/** Feedback that comes later does not count. */
const window = 12;
const answersPerHour = 100;

const usual: ArmSetting = { mean: 0.6, feedback: [0.8, 0.8], delay: 1 };
const late: ArmSetting = { mean: 0.6, feedback: [0.4, 0.4], delay: 3 };
const badMissing: ArmSetting = { mean: 0.6, feedback: [0.4, 0.9], delay: 1 };
const full: ArmSetting = { mean: 0.6, feedback: [1, 1], delay: 0 };

export const lateFeedback: ArmsSetting[] = [
  { name: 'two equal arms', arms: [usual, late], drift: 0, answers: 5000 },
  { name: 'two equal arms, means swing by 0.3', arms: [usual, late], drift: 0.3, answers: 5000 },
  { name: 'three equal arms, means swing by 0.3', arms: [usual, usual, late], drift: 0.3, answers: 5000 },
  { name: 'two equal arms, all feedback in time', arms: [full, full], drift: 0.3, answers: 5000 },
  { name: 'three equal arms, all feedback in time', arms: [full, full, full], drift: 0.3, answers: 5000 },
];

export const missingWhenBad: ArmsSetting[] = [
  { name: 'two equal arms, one misses bad feedback', arms: [badMissing, usual], drift: 0, answers: 5000 },
  {
    name: 'one is 5 points worse and misses bad feedback',
    arms: [{ ...badMissing, mean: 0.55 }, usual],
    drift: 0,
    answers: 5000,
  },
  {
    name: 'one is 5 points worse and misses bad feedback, the other misses none',
    arms: [{ ...badMissing, mean: 0.55 }, full],
    drift: 0,
    answers: 5000,
  },
];

export const better: ArmsSetting[] = [
  { name: 'one of two is 10 points better', arms: [full, { ...full, mean: 0.7 }], drift: 0, answers: 5000 },
  { name: 'one of three is 10 points better', arms: [full, full, { ...full, mean: 0.7 }], drift: 0, answers: 10_000 },
];

export type ArmsFound = {
  /** Runs that ever had this verdict, at any look. */
  winner: number;
  warning: number;
  /** Runs in which a t-test of the feedback so far, at each hour, ever shows a difference of the first arm and the last at 5 %. */
  hourlyTests: number;
  /** Arms whose bounds excluded their mean at any look, of all arms of all runs. Only where the mean does not drift. */
  boundsMissed: number;
  /** Answers until the winner, in ascending order; infinite without. */
  answers: number[];
};

/** Each run changes its shares as `nextShares` does, at most hourly, and looks every hour. */
export function bestArms({ arms, drift, answers }: ArmsSetting, runs: number, random: () => number): ArmsFound {
  const found: ArmsFound = { winner: 0, warning: 0, hourlyTests: 0, boundsMissed: 0, answers: [] };
  for (let run = 0; run < runs; run++) {
    const best = new BestArm({ arms: arms.map((_, arm) => `${arm}`), alpha: 0.05, gain: 0.1 });
    const verdicts = new Set<BestArmVerdict['kind']>();
    let shares = arms.map(() => 1 / arms.length);
    let version = 0;
    const all = [...arms.keys()];
    const missed = new Set<number>();
    let decided = Infinity;
    let isDifferent = false;
    const open: { arm: number; version: number; reward: number; feedbackAt: number }[] = [];
    const seen = arms.map(() => ({ count: 0, sum: 0 }));
    const arriving: { arm: number; reward: number; feedbackAt: number }[] = [];
    for (let place = 0; place < answers + window * answersPerHour; place++) {
      const closed = place - window * answersPerHour;
      if (closed >= 0) {
        const { arm, version, reward, feedbackAt } = open[closed]!;
        best.add({ arm, version, reward: feedbackAt <= window ? reward : null });
      }
      if (place < answers) {
        const arm = drawArm(shares, random());
        const { mean, feedback, delay } = arms[arm]!;
        const reward = random() < mean + drift * Math.sin(place / 400) ? 1 : 0;
        const feedbackAt = random() < feedback[reward]! ? -delay * Math.log(1 - random()) : Infinity;
        open.push({ arm, version, reward, feedbackAt });
        if (feedbackAt < Infinity) arriving.push({ arm, reward, feedbackAt: feedbackAt + place / answersPerHour });
      }
      if (place % answersPerHour !== 0) continue;
      const { verdict, arms: looks } = best.look(all);
      for (const [arm, { lower, upper }] of looks.entries())
        if (lower !== null && (arms[arm]!.mean < lower || arms[arm]!.mean > upper!)) missed.add(arm);
      verdicts.add(verdict.kind);
      if (verdict.kind === 'winner') decided = Math.min(decided, Math.max(closed, 0));
      const next = nextShares({
        evidenceAgainst: best.evidenceAgainst(all),
        floor: 0.1,
        winner: verdict.kind === 'winner' ? verdict.arm : null,
        current: shares,
        compared: best.countOf(version),
      });
      if (next !== null) {
        shares = next;
        version++;
      }
      isDifferent ||= testFeedback(arriving, seen, place / answersPerHour);
    }
    if (verdicts.has('winner')) found.winner++;
    if (verdicts.has('depends-on-missing')) found.warning++;
    if (isDifferent) found.hourlyTests++;
    found.boundsMissed += missed.size;
    found.answers.push(decided);
  }
  found.answers.sort((a, b) => a - b);
  return found;
}

/** Counts the feedback that has arrived, as is common, and tests the difference of two means. */
function testFeedback(
  arriving: { arm: number; reward: number; feedbackAt: number }[],
  seen: { count: number; sum: number }[],
  now: number,
): boolean {
  for (let i = arriving.length - 1; i >= 0; i--) {
    const { arm, reward, feedbackAt } = arriving[i]!;
    if (feedbackAt > now) continue;
    seen[arm]!.count++;
    seen[arm]!.sum += reward;
    arriving[i] = arriving[arriving.length - 1]!;
    arriving.pop();
  }
  const [first, last] = [seen[0]!, seen[seen.length - 1]!];
  if (first.count < 50 || last.count < 50) return false;
  const means = [first.sum / first.count, last.sum / last.count] as const;
  const variance = (means[0] * (1 - means[0])) / first.count + (means[1] * (1 - means[1])) / last.count;
  return Math.abs(means[0] - means[1]) > 1.96 * Math.sqrt(variance);
}

function drawArm(shares: readonly number[], place: number): number {
  let sum = 0;
  const arm = shares.findIndex((share) => {
    sum += share;
    return place < sum;
  });
  return arm === -1 ? shares.length - 1 : arm;
}
