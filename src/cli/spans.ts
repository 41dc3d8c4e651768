import type { Command } from 'commander';
import type { SpanExplanation } from '../otel/mapper/explain.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addSpans(program: Command): void {
  const spans = program.command('spans').summary('inspect OpenTelemetry spans');
  const explain = spans
    .command('explain <call-id>')
    .summary('show how a span was mapped to its call')
    .description(
      'Shows which span attribute became which call field, by which convention, and which attributes are unused. Use it to ' +
        'find out why something is missing from a call. Works with or without a running server.',
    );
  addSettings(explain, ['data']).action(async (callId: string) => {
    const explained = await ask(configOf(explain), 'spans.explain', { callId });
    process.stdout.write(explained.map(describe).join('\n'));
  });
}

function describe({ project, fields, passedOver, unread }: SpanExplanation & { project: string }): string {
  const rows = fields.map(({ field, key, rule, value }) => [field, key, rule, value.replaceAll(/\s+/g, ' ')]);
  const list = (title: string, keys: string[]) =>
    keys.length > 0 ? ['', title, ...keys.map((key) => `  ${key}`)] : [];
  return [
    `Project ${project}`,
    '',
    table(['FIELD', 'KEY', 'RULE', 'VALUE'], rows).trimEnd(),
    ...list('Ignored because another key takes precedence:', passedOver),
    ...list('Unused, kept in the raw span:', unread),
    '',
  ].join('\n');
}
