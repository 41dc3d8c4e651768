import type { OperationAnswer } from '../admin/operations.ts';
import { table } from './table.ts';
import { scoreName, shorten } from './thresholds.ts';

type Result = OperationAnswer<'eval.results'>[number];
type Score = Result['scorers'][number];
type Estimate = NonNullable<Score['estimate']>;

/** The scores of an evaluation, and what it took. */
export function resultTable(result: Result, output: Record<string, unknown> | null): string {
  const rows = result.scorers.map((score) => [
    scoreName(score),
    meanOf(score),
    intervalOf(score.estimate, isRate(score)),
    `${score.trialCount} of ${result.trialCount}`,
  ]);
  for (const key of unscored(result, output)) rows.push([key, 'failed', '', `0 of ${result.trialCount}`]);
  const latency = (output?.model_latency as { mean?: number } | undefined)?.mean;
  const hasAnswers = result.failures.predictions.count < result.trialCount;
  const facts = [
    `${result.trialCount} answers`,
    ...(latency === undefined || !hasAnswers ? [] : [`${shorten(latency, 2)} s each`]),
    ...usage(result),
  ];
  const scores = rows.length === 0 ? '' : `${table(['SCORE', 'VALUE', '95 % INTERVAL', 'ANSWERS'], rows)}\n`;
  return `${scores}${facts.join(', ')}\n${failures(result)}Evaluation ${result.callId} (${result.name})\n`;
}

function usage({ tokens, cost }: Result): string[] {
  return [...(tokens === null ? [] : [`${tokens} tokens`]), ...(cost === null ? [] : costText(cost))];
}

/** A cost says so if it may be higher or lower, and which models have no price. */
function costText({ dollars, isAtLeast, isEstimate, unpricedTokens }: NonNullable<Result['cost']>): string[] {
  const models = Object.keys(unpricedTokens);
  const unpriced = `no price for ${models.join(', ')}`;
  if (models.length > 0 && !dollars) return [unpriced];
  if (dollars === null) return [];
  const amount = `${isEstimate ? 'about ' : isAtLeast ? 'at least ' : ''}${shorten(dollars)} USD`;
  return [models.length > 0 ? `${amount} (${unpriced})` : amount];
}

/** The scorers that gave no score at all. */
export function unscored(result: Result, output: Record<string, unknown> | null): string[] {
  return Object.keys(output ?? {}).filter(
    (key) => key !== 'output' && key !== 'model_latency' && !result.scorers.some(({ scorerKey }) => scorerKey === key),
  );
}

/** Failures, with the first error of each kind. */
function failures({ failures: { predictions, scores } }: Pick<Result, 'failures'>, indent = ''): string {
  return [
    predictions.count > 0 ? `${indent}${predictions.count} answers failed: ${predictions.error}\n` : '',
    scores.count > 0 ? `${indent}${scores.count} scores failed: ${scores.error}\n` : '',
  ].join('');
}

/** The scores of two evaluations, and how they differ on the rows that both have. */
export function compareTable(a: Result, b: Result): string {
  const names = [...new Set([...a.scorers, ...b.scorers].map(scoreName))];
  const rows = names.map((name) => {
    const [inA, inB] = [a, b].map(({ scorers }) => scorers.find((score) => scoreName(score) === name));
    const difference = inB?.difference ?? null;
    const rate = isRate((inB ?? inA)!);
    return [
      name,
      meanOf(inA),
      meanOf(inB),
      difference ? signed(difference.mean, rate) : '',
      intervalOf(difference, rate, signed),
      difference ? String(difference.count) : '',
      verdictOn(difference, inA, inB),
    ];
  });
  const heading = ['SCORE', 'A', 'B', 'B - A', '95 % INTERVAL', 'ROWS', ''];
  const legend = (letter: string, of: Result) => {
    const facts = [`${of.trialCount} answers of ${modelName(of.model)}`, ...usage(of)];
    return `${letter}  ${of.callId}  ${of.name}\n   ${facts.join(', ')}\n${failures(of, '   ')}`;
  };
  return `${table(heading, rows)}\n${legend('A', a)}${legend('B', b)}`;
}

/** A difference is clear if its interval does not contain 0. */
function verdictOn(difference: Estimate | null, inA: Score | undefined, inB: Score | undefined): string {
  if (!inA || !inB) return inA ? 'only in A' : 'only in B';
  if (!inA.estimate || !inB.estimate) return '';
  const interval = difference?.interval95;
  if (!interval) return difference ? 'too few rows' : 'no common rows';
  if (interval[0] > 0) return 'B is higher';
  if (interval[1] < 0) return 'B is lower';
  return 'no clear difference';
}

function isRate({ valueType }: Score): boolean {
  return valueType === 'binary';
}

function meanOf(score: Score | undefined): string {
  if (score === undefined) return '';
  return score.estimate ? asShown(score.estimate.mean, isRate(score)) : 'text';
}

function intervalOf(estimate: Estimate | null, rate: boolean, show = asShown): string {
  const interval = estimate?.interval95;
  return interval ? `${show(interval[0], rate)} to ${show(interval[1], rate)}` : '';
}

/** Rates in percent. */
function asShown(value: number, rate: boolean): string {
  return rate ? `${(100 * value).toFixed(1)} %` : shorten(value);
}

function signed(value: number, rate: boolean): string {
  return `${value > 0 ? '+' : ''}${asShown(value, rate)}`;
}

function modelName(ref: string): string {
  return /\/object\/([^:/]+):/.exec(ref)?.[1] ?? ref;
}
