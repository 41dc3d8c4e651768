import { parseArgs } from 'node:util';
import { bestArms, better, lateFeedback, missingWhenBad } from './policies/arms.ts';
import { coverage, coverageSettings } from './policies/coverage.ts';
import { breaches, equalStages, worseStages } from './policies/stages.ts';
import { isAbove, isBelow, lowerBound, upperBound } from './support/binomial-bound.ts';
import { fastRandom } from './support/fast-random.ts';

/**
 * Simulates the statistics of policies with known truth: guards of stages, best arms with missing feedback, and intervals of off-policy
 * estimates. Exits with 1 if a 99 % bound of a share excludes what is wanted.
 *
 *     npm run bench -- policies [--runs 10000] [--seed 1]
 *
 * `runs` is those of each stage; best arms have a fifth of them, and off-policy estimates a tenth.
 */

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const started = performance.now();
const runs = Number(values.runs);
const seed = Number(values.seed);
let stream = 0;
let figures = 0;
let missed = 0;

table('Stages at 10 %, arms equal: breached (≤ 5 %)', ['setting', 'breached', '99 % bound']);
for (const setting of equalStages) {
  const found = breaches(setting, runs, nextRandom()).filter(Number.isFinite).length;
  row([setting.name, percent(found / runs), percent(upperBound(found, runs))], !isAbove(found, runs, 0.05));
}

table('Stages at 10 %, the candidate 10 points worse: breached (≥ 95 %)', [
  'setting',
  'answers of the candidate',
  'breached',
  '99 % bound',
  'answers until half of runs are',
]);
for (const setting of worseStages) {
  const all = breaches(setting, runs, nextRandom());
  const found = all.filter(Number.isFinite).length;
  const cells = [`${setting.most}`, percent(found / runs), percent(lowerBound(found, runs)), `${all[runs / 2]}`];
  row([setting.name, ...cells], !isBelow(found, runs, 0.95));
}

const armRuns = runs / 5;
const armHeads = ['setting', 'winner', 'warning', 'a t-test every hour'];
table('Equal arms, one with feedback three times later and half as frequent: winner or warning (≤ 5 %)', armHeads);
for (const setting of lateFeedback) {
  const { winner, warning, hourlyTests } = bestArms(setting, armRuns, nextRandom());
  const cells = [winner, warning, hourlyTests].map((count) => percent(count / armRuns));
  row([setting.name, ...cells], !isAbove(winner + warning, armRuns, 0.05));
}

table('Feedback that is missing more often when bad: winner (none)', armHeads);
for (const setting of missingWhenBad) {
  const { winner, warning, hourlyTests } = bestArms(setting, armRuns, nextRandom());
  row([setting.name, ...[winner, warning, hourlyTests].map((count) => percent(count / armRuns))], winner === 0);
}

table('A better arm, all feedback in time; arms whose bounds ever exclude their mean (≤ 5 %)', [
  'setting',
  'winner',
  'answers until half of runs have one',
  'until 90 %',
  'outside bounds',
]);
for (const setting of better) {
  const { winner, answers, boundsMissed } = bestArms(setting, armRuns, nextRandom());
  const by = (share: number) => `${answers[Math.ceil(share * armRuns) - 1]}`;
  const arms = armRuns * setting.arms.length;
  const cells = [percent(winner / armRuns), by(0.5), by(0.9), percent(boundsMissed / arms)];
  row([setting.name, ...cells], !isAbove(boundsMissed, arms, 0.05));
}

table(
  'Off-policy: 95 % intervals that cover (IPS of accepted runs: ≥ 93 %; accepted at effective sizes above 200: ≥ 90 %)',
  [
    'setting',
    'accepted',
    'IPS',
    'self-normalized',
    'doubly robust',
    'accepted above 200',
    'by weights seen',
    'IPS of refused runs',
  ],
);
const total = {
  accepted: 0,
  covered: 0,
  refused: 0,
  refusedCovers: 0,
  large: 0,
  largeAccepted: 0,
  seenLarge: 0,
  seenLargeAccepted: 0,
};
for (const setting of coverageSettings) {
  const found = coverage(setting, runs / 10, nextRandom());
  const refused = found.runs - found.accepted;
  const cells = [
    `${found.accepted} of ${found.runs}`,
    ...[found.ips, found.selfNormalized, found.doublyRobust].map((count) => shareOf(count, found.accepted)),
    shareOf(found.largeAccepted, found.large),
    shareOf(found.seenLargeAccepted, found.seenLarge),
    shareOf(found.refusedCovers, refused),
  ];
  const isMet =
    (found.accepted === 0 || !isBelow(found.ips, found.accepted, 0.93)) &&
    (found.large === 0 || !isBelow(found.largeAccepted, found.large, 0.9));
  row([setting.name, ...cells], isMet);
  total.accepted += found.accepted;
  total.covered += found.ips;
  total.refused += refused;
  total.refusedCovers += found.refusedCovers;
  total.large += found.large;
  total.largeAccepted += found.largeAccepted;
  total.seenLarge += found.seenLarge;
  total.seenLargeAccepted += found.seenLargeAccepted;
}
const ofRefused = lowerBound(total.refusedCovers, total.refused);
row(
  [
    'all',
    `${total.accepted}`,
    shareOf(total.covered, total.accepted),
    '',
    '',
    shareOf(total.largeAccepted, total.large),
    shareOf(total.seenLargeAccepted, total.seenLarge),
    shareOf(total.refusedCovers, total.refused),
  ],
  ofRefused < upperBound(total.covered, total.accepted),
);

print(`\n${figures - missed} of ${figures} figures are as wanted.`);
print(`${values.runs} runs, seed ${values.seed}, ${((performance.now() - started) / 60_000).toFixed(1)} minutes.`);
process.exitCode = missed === 0 ? 0 : 1;

function nextRandom(): () => number {
  return fastRandom(seed, stream++);
}

function table(name: string, heads: string[]): void {
  print(`\n${name}\n\n| ${heads.join(' | ')} |\n| ${heads.map(() => '---').join(' | ')} |`);
}

function row([name, ...cells]: string[], isMet: boolean): void {
  figures++;
  if (!isMet) missed++;
  print(`| ${[isMet ? name : `**missed** ${name}`, ...cells].join(' | ')} |`);
}

function shareOf(count: number, of: number): string {
  return of === 0 ? '–' : percent(count / of);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
