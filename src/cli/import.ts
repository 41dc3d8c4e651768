import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import type { Params } from '../admin/operations.ts';
import { ask } from './ask.ts';
import { showProgress } from './progress-line.ts';
import { addSettings, configOf } from './setting-options.ts';

export function addImport(program: Command): void {
  const command = addSettings(
    program
      .command('import')
      .summary('import traces from Weave, Phoenix or Langfuse')
      .description(
        'Imports calls, spans, observations and scores exported by another tool. Ids and times stay the same, so you can repeat ' +
          'an import: it skips what is already imported.',
      )
      .addArgument(new Argument('<tool>', 'tool that exported the file').choices(['weave', 'phoenix', 'langfuse']))
      .argument('<file>', 'JSON or JSON Lines, optionally compressed with gzip (.gz)'),
    ['data'],
  )
    .option(
      '--project <name>',
      'project to import into, such as my-project or entity/my-project; default: a project named after the tool',
    )
    .addHelpText('after', help)
    .action(async (tool: Params<'import'>['source'], file: string, { project }: { project?: string }) => {
      const line = showProgress(process.stderr);
      const params = { source: tool, path: resolve(file), project };
      const report = await ask(configOf(command), 'import', params, line.show).finally(line.end);
      const { records, calls, feedback, refused, reasons } = report;
      process.stderr.write(
        `Imported ${records} records into ${report.project}: ${calls} calls, ${feedback} new feedback items, ${refused} rejected.\n`,
      );
      for (const reason of reasons) process.stderr.write(`  ${reason}\n`);
      if (refused > reasons.length) process.stderr.write(`  … and ${refused - reasons.length} more\n`);
      if (refused > 0) process.exitCode = 1;
    });
}

const help = `
What can be imported:
  weave     calls returned by /calls/stream_query or client.get_calls()
  phoenix   spans of the REST API, of client.spans.get_spans() or get_spans_dataframe(); span annotations
  langfuse  traces, observations and scores, exported to files or to blob storage, or from the public API

Examples:
  $ heddle import weave calls.jsonl --project team/demo
  $ heddle import langfuse observations.jsonl.gz --project team/demo`;
