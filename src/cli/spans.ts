import type { Command } from 'commander';
import type { SpanExplanation } from '../otel/mapper/explain.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addSpans(program: Command): void {
  const spans = program.command('spans').summary('look at OpenTelemetry spans');
  const explain = spans
    .command('explain <call-id>')
    .summary('show how a call came from its span')
    .description(
      'Shows which key of the span became which field of the call, by what convention, and which keys nobody reads. When ' +
        'something is missing in a call, this says where it is. Works beside a running server.',
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
    ...list('Passed over, since another key came first:', passedOver),
    ...list('Read by nobody, and kept in the raw span:', unread),
    '',
  ].join('\n');
}
