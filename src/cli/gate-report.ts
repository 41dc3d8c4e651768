import type { OperationAnswer } from '../admin/operations.ts';
import { table } from './table.ts';
import { shorten } from './thresholds.ts';

type Gate = OperationAnswer<'gate.read'>;
type Estimate = NonNullable<Gate['estimates']>['target'];

/** The evidence of a gate, as text. */
export function gateReport(gate: Gate): string {
  const { plan, look, estimates, suite, threads } = gate;
  const blocks = [
    `${headline(gate)}\n${gate.reasons.map((reason) => `  ${reason}\n`).join('')}`,
    modelsTable(gate),
    estimates === null ? '' : targetBlock(gate, estimates),
    estimates === null || plan.guardrails.length === 0 ? '' : guardrailTable(gate, estimates.guardrails),
    estimates === null || plan.watched.length === 0 ? '' : watchedTable(gate, estimates.watched),
    `${threads} threads with ${gate.rows} rows were compared, of at most ${plan.threadsMax} threads that count. ` +
      `This is candidate ${gate.number} of the suite ${suite.name}; it was tested at ${shorten(plan.alpha)} of its α of ${suite.alpha}.\n` +
      `${freshRows(suite)}${look.verdict === null && gate.state === 'running' ? '' : `${gate.tests}\n`}`,
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** One line that says how a gate ended, or where it is. */
function headline({ state, verdict, plan, estimates, look, rows, threads, error }: Gate): string {
  const name = plan.target.name;
  switch (state) {
    case 'failed':
      return `Failed: ${error}`;
    case 'canceled':
      return 'Canceled.';
    case 'waiting':
      return 'Waiting.';
    case 'running':
      return `Running: ${threads} threads compared.`;
    case 'decided':
      break;
    default:
      return state satisfies never;
  }
  if (verdict === 'promote') {
    const { lower, upper } = estimates!.target.bounds;
    const least = lower > 0 ? `${shorten(lower, 3)} to` : 'up to';
    return `Promote: ${name} is better on traffic like this suite, by ${least} ${shorten(upper, 3)}.`;
  }
  if (verdict === 'reject') return 'Reject.';
  const more = Math.ceil((look.threadsNeeded * rows) / Math.max(1, threads));
  return `Not enough evidence: about ${more} more rows are needed.`;
}

function modelsTable({ candidate, incumbent }: Gate): string {
  return table(
    ['', 'MODEL', 'VERSION'],
    [
      ['candidate', candidate.name, candidate.ref],
      ['incumbent', incumbent.name, incumbent.ref],
    ],
  );
}

function targetBlock({ plan: { target, trainedOn }, look }: Gate, estimates: NonNullable<Gate['estimates']>): string {
  const marks = [0, target.gain];
  const others =
    trainedOn.length === 0 ? [] : [['with rows like training data', ...estimateCells(estimates.targetOfAll), '']];
  return (
    table(
      ['TARGET', 'DIFFERENCE', 'INTERVAL', ''],
      [[target.name, ...estimateCells(estimates.target), picture(estimates.target, marks)], ...others],
    ) +
    `  Better on traffic like it: ${shownText(look.onTraffic)}. Better on this suite: ${shownText(look.onSuite)}. ` +
    `The smallest gain that matters is ${target.gain}.\n`
  );
}

function guardrailTable({ plan, look }: Gate, estimates: Estimate[]): string {
  const rows = look.guardrails.map(({ name, shown, worse }, i) => [
    name,
    ...estimateCells(estimates[i]!),
    `-${plan.guardrails[i]!.margin}`,
    worse ? 'worse than its margin' : shown ? 'not worse than its margin' : 'not shown yet',
  ]);
  return table(['GUARDRAIL', 'DIFFERENCE', 'INTERVAL', 'MARGIN', ''], rows);
}

const watchedTexts = {
  harm: 'harm is shown',
  'no-harm-shown': 'no harm is shown',
  looking: 'not enough threads yet',
  'too-small': 'too few threads in the suite to rely on',
} as const;

function watchedTable({ look }: Gate, estimates: Estimate[]): string {
  const rows = look.watched.map(({ name, state, threads }, i) => [
    name,
    ...estimateCells(estimates[i]!),
    String(threads),
    watchedTexts[state],
  ]);
  return table(['WATCHED', 'DIFFERENCE', 'INTERVAL', 'THREADS', ''], rows);
}

function freshRows({ candidatesLeft }: Gate['suite']): string {
  if (candidatesLeft === null) return '';
  if (candidatesLeft === 0)
    return 'Fresh rows are due: the suite has too few threads for the level of the next candidate.\n';
  const more = candidatesLeft >= 1000 ? 'more than 1000' : String(candidatesLeft);
  return `The suite can decide ${more} more candidates like this one.\n`;
}

function estimateCells({ mean, bounds }: Estimate): [string, string] {
  return [mean === null ? '' : signed(mean), `${signed(bounds.lower)} to ${signed(bounds.upper)}`];
}

function shownText({ shown, pValue }: { shown: boolean; pValue: number }): string {
  return `${shown ? 'shown' : 'not shown'} (p = ${shorten(pValue, 2)})`;
}

function signed(value: number): string {
  const text = shorten(value, 3);
  return value > 0 ? `+${text}` : text;
}

const width = 40;

/** The interval as a line, with the mean and marks, such as `|` for 0 and the gain. */
function picture({ mean, bounds }: Estimate, marks: number[]): string {
  const low = Math.min(bounds.lower, ...marks);
  const high = Math.max(bounds.upper, ...marks);
  const placeOf = (value: number) => Math.round(((value - low) / (high - low)) * (width - 1));
  const cells = Array.from<unknown, string>({ length: width }, (_, i) =>
    i >= placeOf(bounds.lower) && i <= placeOf(bounds.upper) ? '─' : ' ',
  );
  for (const mark of marks) cells[placeOf(mark)] = '│';
  if (mean !== null) cells[placeOf(mean)] = '●';
  return cells.join('');
}
