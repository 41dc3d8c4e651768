import type { Command } from 'commander';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addMonitors(program: Command): void {
  const monitors = addSettings(
    program
      .command('monitors')
      .summary('list monitors with their scored and skipped calls')
      .description(
        'Lists the monitors of all projects, with the number of calls that they scored in the last day, and that they skipped: ' +
          'not sampled, or over the hourly limit (HEDDLE_MONITOR_CALLS_PER_HOUR_MAX).',
      ),
    ['data'],
  ).action(async () => {
    const found = await ask(configOf(monitors), 'monitors.list', {});
    const rows = found.map(({ project, name, status, scored, notSampled, overLimit }) => [
      project,
      name,
      String(scored),
      String(notSampled),
      String(overLimit),
      status,
    ]);
    process.stdout.write(table(['PROJECT', 'MONITOR', 'SCORED', 'NOT SAMPLED', 'OVER LIMIT', 'STATUS'], rows));
  });
}
