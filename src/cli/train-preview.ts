import type { OperationAnswer } from '../admin/operations.ts';

import { suiteRows } from './suite-rows.ts';

export type Preview = Omit<OperationAnswer<'train.preview'>, 'chosen'>;

/** A preview of a job's training data, as text. */
export function describePreview(preview: Preview, reward: string): string {
  const rows = [...callRows(preview), ...(preview.trajectories === 0 ? [] : learningRows(preview, reward))];
  return rows.map(([title, text]) => `${title.padEnd(titleWidth)}${text}\n`).join('');
}

type Row = [title: string, text: string];

function callRows(preview: Preview): Row[] {
  const { model, base, step, skipped } = preview;
  return [
    ['model', `${model} over ${base}, ${step === 0 ? 'not trained yet' : `from step ${step}`}`],
    ['calls', callsOf(preview)],
    ...skipped.map(({ reason, count }): Row => ['', `${counted(count)} skipped: ${reason}`]),
  ];
}

function learningRows(preview: Preview, reward: string): Row[] {
  const { tokens, rewards, advantages, steps, learningRate, warnings } = preview;
  const { exact, reconstructed, promptsReconstructed: prompts } = tokens;
  return [
    ['trajectories', trajectoriesOf(preview)],
    ['groups', groupsOf(preview)],
    ['reward', `${reward}: ${rangeOf(rewards)}`],
    ['advantages', rangeOf(advantages)],
    ['tokens', `${counted(tokens.trained)} trained, ${counted(tokens.masked)} masked (prompts and context)`],
    [
      '',
      `${counted(exact)} exact, ${counted(reconstructed)} reconstructed, ${plural(prompts, 'prompt')} reconstructed`,
    ],
    ['steps', `${counted(steps)}, learning rate ${shortRate(learningRate)}`],
    ...warnings.map((warning): Row => ['warning', warning]),
    ...suiteRows(preview.suites, 'trajectory'),
  ];
}

const titleWidth = 14;

/** Why a job would make no step; null if it would make some. */
export function nothingToLearn(
  preview: Preview,
  { reward, groupBy }: { reward: string; groupBy: string },
): string | null {
  if (preview.steps > 0) return null;
  if (preview.matched === 0) return 'No call matches the filter.';
  if (preview.trajectories === 0) return 'None of the calls can be trained on.';
  if (preview.withoutSpread.equal === 0 && preview.withoutSpread.single === preview.groups) {
    return `No two trajectories have the same ${groupBy}, so there is nothing to compare. Choose another field with --group-by, or compare all of them with --group-by all.`;
  }
  return `The rewards ${reward} are the same within each group, so there is nothing to learn.`;
}

function callsOf({ calls, matched, read }: Preview): string {
  const limited = read < matched ? `, of which the newest ${counted(read)} are read` : '';
  return `${counted(calls)} of ${counted(matched)} that match${limited}`;
}

function trajectoriesOf({ trajectories, calls }: Preview): string {
  return calls === trajectories ? counted(trajectories) : `${counted(trajectories)} of ${counted(calls)} calls`;
}

function groupsOf({ groups, withoutSpread: { single, equal } }: Preview): string {
  const without = [
    ...(equal > 0 ? [`${counted(equal)} with equal rewards`] : []),
    ...(single > 0 ? [`${counted(single)} with one trajectory`] : []),
  ];
  return without.length === 0 ? counted(groups) : `${counted(groups)}; nothing to learn from ${without.join(' and ')}`;
}

function rangeOf({ min, mean, max }: { min: number; mean: number; max: number }): string {
  return `${short(min)} to ${short(max)}, mean ${short(mean)}`;
}

/** At most three digits behind the point. */
function short(value: number): string {
  return String(Math.round(value * 1000) / 1000 + 0);
}

function shortRate(rate: number): string {
  return rate > 0 && rate < 1e-3 ? rate.toExponential() : String(rate);
}

function plural(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}
