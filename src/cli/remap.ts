import type { Command } from 'commander';
import type { RemapReport } from '../otel/remap.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addRemap(program: Command): void {
  const remap = program
    .command('remap')
    .summary('derive calls again from their OpenTelemetry spans')
    .description(
      'Spans are kept whole, and shown as calls by a mapper. When a new heddle maps differently, this shows what would ' +
        'change in the calls that are there, and with --write changes it. Works beside a running server.',
    )
    .option('--write', 'change the calls; without it, only show what would change');
  addSettings(remap, ['data']).action(async () => {
    const writes = remap.opts<{ write?: boolean }>().write ?? false;
    process.stdout.write(describe(await ask(configOf(remap), 'remap', { writes }), writes));
  });
}

function describe({ examined, changed, unreadable, fields, examples }: RemapReport, writes: boolean): string {
  if (examined === 0) return 'Every call is as this heddle maps it. There is nothing to do.\n';
  const rows = Object.entries(fields).map(([field, calls]) => [field, String(calls)]);
  const shown = examples.map(({ callId, field, before, after }) => [callId, field, cut(before), cut(after)]);
  return [
    `${examined} calls were mapped by another version; ${changed} of them ${writes ? 'came' : 'come'} out differently.`,
    ...(unreadable > 0 ? [`${unreadable} spans cannot be read; their calls stay as they are.`] : []),
    ...(rows.length > 0 ? ['', table(['FIELD', 'CALLS'], rows)] : []),
    ...(shown.length > 0 ? [table(['CALL', 'FIELD', 'BEFORE', 'AFTER'], shown)] : []),
    writes ? 'They are changed.' : 'Nothing is changed yet: `heddle remap --write` does it.',
    '',
  ].join('\n');
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
