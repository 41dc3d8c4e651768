import { type Command, InvalidArgumentError } from 'commander';
import type { OperationAnswer } from '../admin/operations.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { describeRun } from './show-run.ts';
import { table } from './table.ts';

export function addRuns(program: Command): void {
  const runs = program.command('runs').summary('list and show the runs recorded by wandb clients');
  const list = runs
    .command('list', { isDefault: true })
    .summary('list the newest runs')
    .option('--project <entity/project>', 'only the runs of this project');
  addSettings(list, ['data']).action(async ({ project }: { project?: string }) => {
    process.stdout.write(listed(await ask(configOf(list), 'runs.list', { project: project ?? null })));
  });
  const show = runs
    .command('show')
    .argument('<run>', 'entity/project/run', parseRun)
    .summary('show the settings, the summary and the metrics of a run')
    .description('Shows a run, by the name that `heddle runs` lists.');
  addSettings(show, ['data']).action(async (run: RunPath) => {
    const answer = await ask(configOf(show), 'runs.show', run);
    process.stdout.write(`${describeRun(answer, process.stdout.columns || 80).join('\n')}\n`);
  });
}

function listed(runs: OperationAnswer<'runs.list'>): string {
  if (runs.length === 0) return 'There are no runs yet.\n';
  const rows = runs.map(({ run, name, project, state, rows: count, createdAt }) => [
    `${project}/${run}`,
    name === run ? '' : name,
    state,
    String(count),
    createdAt.slice(0, 19).replace('T', ' '),
  ]);
  return table(['RUN', 'NAME', 'STATE', 'ROWS', 'CREATED (UTC)'], rows);
}

type RunPath = { project: string; run: string };

function parseRun(path: string): RunPath {
  const [entity, project, run, ...rest] = path.split('/');
  if (!entity || !project || !run || rest.length > 0) throw new InvalidArgumentError('Expected entity/project/run.');
  return { project: `${entity}/${project}`, run };
}
