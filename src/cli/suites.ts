import { type Command, InvalidArgumentError, Option } from 'commander';
import type { OperationAnswer } from '../admin/operations.ts';
import { ask } from './ask.ts';
import { toNumber } from './option-values.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

type Project = { project: string };
type FreezeOptions = Project & {
  dataset: string;
  purpose: 'gate' | 'held_out';
  threadColumn?: string;
  alpha: number;
};

export function addSuites(program: Command): void {
  const suites = program.command('suites').summary('freeze, list and show the rows that models are tested on');
  const freeze = ofProject(suites.command('freeze <name>'))
    .summary('freeze a version of a dataset as a suite')
    .description(
      'Freezes a version of a dataset as a suite. From then on, jobs of the project refuse to train on its rows, on near copies and on ' +
        'other rows of their traces, threads and users. What was trained before is compared in the background.',
    )
    .requiredOption('--dataset <name>', 'dataset of the project: a name, name:version or ref')
    .option('--thread-column <column>', "column that names a row's thread; default: each row is a thread of its own")
    .addOption(
      new Option(
        '--purpose <purpose>',
        'gate: models are compared on its rows; held_out: they are only kept out of training',
      )
        .choices(['gate', 'held_out'])
        .default('gate'),
    )
    .option('--alpha <probability>', 'probability of a wrong promotion, for all candidates together', toAlpha, 0.05);
  freeze.action(async (name: string, { threadColumn, ...options }: FreezeOptions) => {
    const { rowCount } = await ask(configOf(freeze), 'suites.freeze', {
      ...{ ...options, name },
      threadColumn: threadColumn ?? null,
    });
    process.stderr.write(`Froze ${rowCount} rows as ${name}.\n`);
  });
  const list = ofProject(suites.command('list')).summary('list the suites of a project');
  list.action(async ({ project }: Project) => {
    process.stdout.write(listed(await ask(configOf(list), 'suites.list', { project })));
  });
  const show = ofProject(suites.command('show <name>')).summary(
    'show a suite, and which of its rows models were trained on',
  );
  show.action(async (name: string, { project }: Project) => {
    process.stdout.write(shown(await ask(configOf(show), 'suites.show', { project, name })));
  });
}

function ofProject(command: Command): Command {
  return addSettings(command, ['data']).requiredOption(
    '--project <name>',
    'project of the suite, such as my-project or entity/my-project',
  );
}

function toAlpha(text: string): number {
  const alpha = toNumber(text);
  if (alpha > 0 && alpha <= 0.5) return alpha;
  throw new InvalidArgumentError('Expected a number greater than 0 and at most 0.5.');
}

function listed(suites: OperationAnswer<'suites.list'>): string {
  if (suites.length === 0) return 'There are no suites yet.\n';
  const rows = suites.map(({ name, purpose, rowCount, threadColumn, alpha, datasetRef }) => [
    ...[name, purpose, String(rowCount), threadColumn ?? '', String(alpha), datasetRef],
  ]);
  return table(['SUITE', 'PURPOSE', 'ROWS', 'THREADS', 'ALPHA', 'DATASET'], rows);
}

function shown({ suite, rows, overlaps }: OperationAnswer<'suites.show'>): string {
  const { name, purpose, rowCount, datasetRef, threadColumn, alpha, frozenAt } = suite;
  const facts: [string, string][] = [
    ['suite', `${name}, ${purpose}, frozen ${frozenAt.slice(0, 16).replace('T', ' ')} UTC`],
    ['dataset', `${datasetRef}, ${rowCount} rows${threadColumn === null ? '' : `, threads by ${threadColumn}`}`],
    ['alpha', String(alpha)],
    ['trained on', `${rows} of its rows`],
    ['scan', scanText(suite.scan)],
  ];
  const head = facts.map(([title, text]) => `${title.padEnd(12)}${text}\n`).join('');
  if (overlaps.length === 0) return head;
  const lines = overlaps.map(({ rowIndex, kind, similarity, model, jobId, line, callId }) => [
    ...[String(rowIndex), kind, similarity === null ? '' : similarity.toFixed(2), model, jobId.slice(-12)],
    line === null ? (callId ?? '') : `line ${line}`,
  ]);
  return `${head}\n${table(['ROW', 'MATCH', 'SIMILARITY', 'MODEL', 'JOB', 'DATA'], lines)}`;
}

function scanText({ jobs, done, unread, endedAt, error }: OperationAnswer<'suites.show'>['suite']['scan']): string {
  if (error !== null) return `failed: ${error}`;
  if (jobs === null) return 'waits';
  const without = unread === 0 ? '' : `, ${unread} without data that is left`;
  return `${done} of ${jobs} earlier jobs compared${without}${endedAt === null ? ', goes on' : ''}`;
}
