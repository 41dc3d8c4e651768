import type { Command } from 'commander';
import type { RemapReport } from '../otel/remap.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addRemap(program: Command): void {
  const remap = program
    .command('remap')
    .summary('rebuild calls from their OpenTelemetry spans')
    .description(
      'heddle stores spans as received and maps them to calls. After an update that maps them differently, this command ' +
        'shows what would change in stored calls; --write applies the changes. Works with or without a running server.',
    )
    .option('--write', 'apply the changes; without it, only show them');
  addSettings(remap, ['data']).action(async () => {
    const writes = remap.opts<{ write?: boolean }>().write ?? false;
    process.stdout.write(describe(await ask(configOf(remap), 'remap', { writes }), writes));
  });
}

function describe({ examined, changed, unreadable, fields, examples }: RemapReport, writes: boolean): string {
  if (examined === 0) return 'All calls match this version of the mapper. Nothing to do.\n';
  const rows = Object.entries(fields).map(([field, calls]) => [field, String(calls)]);
  const shown = examples.map(({ callId, field, before, after }) => [callId, field, cut(before), cut(after)]);
  return [
    `${examined} calls were mapped by another version; ${changed} of them ${writes ? 'were changed' : 'would change'}.`,
    ...(unreadable > 0 ? [`${unreadable} spans cannot be read; their calls are unchanged.`] : []),
    ...(rows.length > 0 ? ['', table(['FIELD', 'CALLS'], rows)] : []),
    ...(shown.length > 0 ? [table(['CALL', 'FIELD', 'BEFORE', 'AFTER'], shown)] : []),
    writes ? 'Changes applied.' : 'Nothing was changed. Run `heddle remap --write` to apply the changes.',
    '',
  ].join('\n');
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
