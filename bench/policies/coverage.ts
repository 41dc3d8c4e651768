import { judgePolicy, type LoggedUnit } from '../../src/domain/statistics/arms/judge-policy.ts';
import { estimateOffPolicy } from '../../src/domain/statistics/off-policy.ts';

export type CoverageSetting = {
  name: string;
  units: number;
  /** How much the logging policy prefers one variant of each stratum, and the judged one another: exponents of their probabilities. */
  logged: number;
  judged: number;
};

export const coverageSettings: CoverageSetting[] = [
  { name: '500 units, alike', units: 500, logged: 0.5, judged: 0.5 },
  { name: '1,000 units, differ', units: 1000, logged: 1.5, judged: 1.5 },
  { name: '3,000 units, differ much', units: 3000, logged: 2.5, judged: 2 },
  { name: '1,000 units, differ much', units: 1000, logged: 2.5, judged: 2 },
  { name: '300 units, differ much', units: 300, logged: 2.5, judged: 2 },
  { name: '1,000 units, hardly overlap', units: 1000, logged: 5, judged: 4 },
];

export type CoverageFound = {
  runs: number;
  accepted: number;
  ips: number;
  selfNormalized: number;
  doublyRobust: number;
  /** Refused runs whose IPS interval would have covered. */
  refusedCovers: number;
  /** Runs with an effective size above 200, and those of them that are accepted. */
  large: number;
  largeAccepted: number;
  /** The same by the weights seen alone. */
  seenLarge: number;
  seenLargeAccepted: number;
};

const strata = 4;
const variants = 3;
const names = ['first', 'second', 'third'];

/** Runs until `wanted` are accepted, or four times as many were made. In each run, policies and mean rewards are drawn anew. */
export function coverage(setting: CoverageSetting, wanted: number, random: () => number): CoverageFound {
  const found = { runs: 0, accepted: 0, ips: 0, selfNormalized: 0, doublyRobust: 0 };
  const others = { refusedCovers: 0, large: 0, largeAccepted: 0, seenLarge: 0, seenLargeAccepted: 0 };
  while (found.accepted < wanted && found.runs < 4 * wanted) {
    found.runs++;
    const { units, truth } = drawUnits(setting, random);
    const judgement = judgePolicy(units, names);
    const plain = plainInterval(units);
    const isLarge = judgement.effectiveSize > 200;
    const isSeenLarge = plain.effectiveSize > 200;
    if (isLarge) others.large++;
    if (isSeenLarge) others.seenLarge++;
    if (judgement.kind === 'refused') {
      if (plain.lower <= truth && truth <= plain.upper) others.refusedCovers++;
      continue;
    }
    found.accepted++;
    if (isLarge) others.largeAccepted++;
    if (isSeenLarge) others.seenLargeAccepted++;
    for (const name of ['ips', 'selfNormalized', 'doublyRobust'] as const) {
      const { lower, upper } = judgement[name];
      if (lower <= truth && truth <= upper) found[name]++;
    }
  }
  return { ...found, ...others };
}

function drawUnits({ units, logged, judged }: CoverageSetting, random: () => number) {
  const draw = () => Array.from({ length: strata }, () => Array.from({ length: variants }, random));
  const policy = (sharpness: number) => draw().map((row) => softmax(row.map((value) => 2 * sharpness * value)));
  const means = draw();
  const [loggedBy, judgedBy] = [policy(logged), policy(judged)];
  let truth = 0;
  for (let stratum = 0; stratum < strata; stratum++)
    for (let variant = 0; variant < variants; variant++)
      truth += (judgedBy[stratum]![variant]! * means[stratum]![variant]!) / strata;
  const drawn = Array.from({ length: units }, (): LoggedUnit => {
    const stratum = Math.floor(random() * strata);
    const place = random();
    const shares = loggedBy[stratum]!;
    const action = place < shares[0]! ? 0 : place < shares[0]! + shares[1]! ? 1 : 2;
    const reward = random() < means[stratum]![action]! ? 1 : 0;
    return { action, reward, logged: shares, judged: judgedBy[stratum]!, stratum: `${stratum}` };
  });
  return { units: drawn, truth };
}

/** The interval that would have been reported without refusing. */
function plainInterval(units: readonly LoggedUnit[]) {
  const answers = units.map(({ action, reward, logged, judged }) => {
    return { reward, logged: logged[action]!, judged: judged[action]!, predicted: 0, predictedMean: 0 };
  });
  const { ips, effectiveSize } = estimateOffPolicy(answers);
  const squares = answers.reduce((sum, each) => sum + ((each.judged / each.logged) * each.reward - ips) ** 2, 0);
  const half = (1.96 * Math.sqrt(squares)) / units.length;
  return { lower: ips - half, upper: ips + half, effectiveSize };
}

function softmax(values: readonly number[]): number[] {
  const weights = values.map(Math.exp);
  const total = weights.reduce((sum, weight) => sum + weight);
  return weights.map((weight) => weight / total);
}
