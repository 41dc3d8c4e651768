import { isAbove, isBelow, lowerBound, upperBound } from '../support/binomial-bound.ts';
import { isEnd, nameOf, rates, shapes } from './settings.ts';
import type { Found, Task } from './tasks.ts';

export type Answered = { task: Task; found: Found };

/** Whether a figure is as wanted or may differ from that by chance (99 %), and a line for the table of its part. */
type Row = { part: string; cells: string[]; met: boolean };

const heads: Record<string, string[]> = {
  'No difference: promoted (≤ 5 %)': ['setting', 'gate', 'bound', 't-test', 'threshold', 'rows'],
  'At the margin: guardrail passed (≤ 5 %)': ['setting', 'gate', 'bound', 't-test', 'threshold', 'rows'],
  'A gain of 5 points: threads until 80 % of runs are decided / best test of a fixed size': [
    'setting',
    'fixed size',
    'plan',
    'wanted',
    'decided',
    'promoted',
    'rejected',
    'to all three fixed',
  ],
  Slices: ['setting', 'wanted', 'runs', 'bound'],
};
const [nothing, margin, gains, slices] = Object.keys(heads) as [string, string, string, string];

/** Prints tables in Markdown, and returns how many figures were not met. */
export function printTables(answers: readonly Answered[]): number {
  const rows = answers.flatMap(rowsOf);
  for (const part of Object.keys(heads)) {
    if (!rows.some((row) => row.part === part)) continue;
    print(`\n${part}\n`);
    const table = [heads[part]!, heads[part]!.map(() => '---'), ...rows.filter((row) => row.part === part).map(marked)];
    for (const cells of table) print(`| ${cells.join(' | ')} |`);
  }
  const missed = rows.filter(({ met }) => !met).length;
  print(`\n${rows.length - missed} of ${rows.length} figures are as wanted.`);
  return missed;
}

function marked({ cells, met }: Row): string[] {
  return met ? cells : cells.map((cell, i) => (i === 0 ? `**missed** ${cell}` : cell));
}

function rowsOf({ task, found }: Answered): Row[] {
  if (found.kind === 'false-promotions' && (task.kind === 'equal' || task.kind === 'at-margin')) {
    const { gate, student, threshold, rows } = found.found;
    const bound = upperBound(gate, task.runs);
    const cells = [
      nameOf(task.rate, task.shape),
      ...[gate / task.runs, bound, student / task.runs, threshold / task.runs, rows / task.runs].map(percent),
    ];
    return [{ part: task.kind === 'equal' ? nothing : margin, cells, met: !isAbove(gate, task.runs, 0.05) }];
  }
  if (found.kind === 'times' && task.kind === 'better') {
    const { fixed, times } = found;
    return times.map(({ name, wanted, decidedBy, decidedByAtBest, promotedBy, rejected }, i) => {
      const most = {
        gain: isEnd(task.rate) ? 3 : 1.6,
        guardrails: isEnd(task.rate) ? 3 : 2.1,
        'other-gain': isEnd(task.rate) ? 3 : 2.8,
      }[wanted];
      const ratio = (n: number, of = fixed.threads) => (Number.isFinite(n) ? (n / of).toFixed(2) : '–');
      const cells = [
        i === 0 ? nameOf(task.rate, task.shape) : '',
        i === 0 ? `${fixed.threads} (${fixed.test})` : '',
        name,
        String(most),
        ratio(decidedBy),
        ratio(promotedBy),
        percent(rejected),
        wanted === 'guardrails' ? ratio(decidedBy, fixed.withGuardrails) : '',
      ];
      return { part: gains, cells, met: decidedByAtBest <= most * fixed.threads };
    });
  }
  if (found.kind === 'harmed-slice') {
    const bound = lowerBound(found.rejected, task.runs);
    const name = `300 of 2,000 rows lose 20 points: rejected (${percent(found.forHarm / task.runs)} for that)`;
    const cells = [name, '≥ 97.5 %', percent(found.rejected / task.runs), percent(bound)];
    return [{ part: slices, cells, met: !isBelow(found.rejected, task.runs, 0.975) }];
  }
  if (found.kind === 'equal-slices') {
    const bound = upperBound(found.blocked, task.runs);
    const cells = [
      'ten equal slices, no difference: blocked',
      '≤ 5 %',
      percent(found.blocked / task.runs),
      percent(bound),
    ];
    return [{ part: slices, cells, met: !isAbove(found.blocked, task.runs, 0.05) }];
  }
  throw new Error(`The task ${task.kind} has another kind of result: ${found.kind}.`);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** All settings; those that take longest come first. */
export function allTasks(runs: number, seed: number): Task[] {
  const settings = shapes.flatMap((shape) => rates.map((rate) => ({ rate, shape })));
  const kinds = [
    ...settings.map((setting) => ({ kind: 'better', ...setting }) as const),
    ...settings.map((setting) => ({ kind: 'equal', ...setting }) as const),
    ...settings.map((setting) => ({ kind: 'at-margin', ...setting }) as const),
    { kind: 'harmed-slice' } as const,
    { kind: 'equal-slices' } as const,
  ];
  return kinds.map((each, stream) => ({ ...each, runs, seed, stream }));
}
