import { resolve } from 'node:path';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { Params } from '../admin/operations.ts';
import type { Config } from '../config.ts';
import { ask } from './ask.ts';
import { describeOpenAIImport, rejected } from './openai-import.ts';
import { collect } from './option-values.ts';
import { showProgress } from './progress-line.ts';
import { addSettings, configOf } from './setting-options.ts';
import { describeTensorZeroImport } from './tensorzero-import.ts';

type Options = { project?: string; model?: string; config: string[] };

export function addImport(program: Command): void {
  const command = addSettings(
    program
      .command('import')
      .summary('import from Weave, Phoenix, Langfuse, OpenAI or TensorZero')
      .description(
        'Imports what another tool exported. Ids and times stay the same, so you can repeat an import: it skips what is ' +
          'already imported.',
      )
      .addArgument(
        new Argument('<tool>', 'tool that exported the files').choices([
          ...['weave', 'phoenix', 'langfuse', 'openai', 'tensorzero'],
        ]),
      )
      .argument('[files...]', 'JSON or JSON Lines, optionally compressed with gzip (.gz); tensorzero: also folders'),
    ['data'],
  )
    .option(
      '--project <name>',
      'project to import into, such as my-project or entity/my-project; default: a project named after the tool',
    )
    .option('--model <name>', 'openai: start the fine-tuning jobs on this model; tensorzero: use it for every variant')
    .option('--config <file>', 'tensorzero: configuration (tensorzero.toml); can be repeated', collect, [])
    .addHelpText('after', help)
    .action(async (tool: Params<'import'>['source'] | 'openai' | 'tensorzero', files: string[], options: Options) => {
      const paths = files.map((file) => resolve(file));
      if (tool === 'tensorzero') return importTensorZero(configOf(command), paths, options);
      if (options.config.length > 0)
        throw new InvalidArgumentError('--config is an option of `heddle import tensorzero`.');
      if (files.length === 0) throw new InvalidArgumentError('Give the files to import.');
      if (tool === 'openai') return importOpenAI(configOf(command), paths, files, options);
      if (options.model !== undefined)
        throw new InvalidArgumentError('--model is an option of `heddle import openai`.');
      for (const path of paths) await importTraces(configOf(command), tool, path, options);
    });
}

async function importTraces(
  config: Config,
  source: Params<'import'>['source'],
  path: string,
  { project }: Options,
): Promise<void> {
  const line = showProgress(process.stderr);
  const report = await ask(config, 'import', { source, path, project }, line.show).finally(line.end);
  const { records, calls, feedback, refused } = report;
  process.stderr.write(
    `Imported ${records} records into ${report.project}: ${calls} calls, ${feedback} new feedback items, ${refused} rejected.\n`,
  );
  process.stderr.write(rejected(report));
  if (refused > 0) process.exitCode = 1;
}

async function importOpenAI(config: Config, paths: string[], files: string[], { project, model }: Options) {
  const line = showProgress(process.stderr);
  const report = await ask(config, 'import.openai', { paths, project, model }, line.show).finally(line.end);
  process.stdout.write(describeOpenAIImport(report, files));
  process.stderr.write(rejected(report));
  if (report.refused > 0) process.exitCode = 1;
}

async function importTensorZero(config: Config, data: string[], { project, model, config: files }: Options) {
  const order = { config: files.map((file) => resolve(file)), data, project, model };
  const line = showProgress(process.stderr);
  const report = await ask(config, 'import.tensorzero', order, line.show).finally(line.end);
  process.stdout.write(describeTensorZeroImport(report));
  process.stderr.write(rejected(report));
  if (report.refused > 0 || report.loss.length > 0) process.exitCode = 1;
}

const help = `
What can be imported:
  weave     calls returned by /calls/stream_query or client.get_calls()
  phoenix   spans of the REST API, of client.spans.get_spans() or get_spans_dataframe(); span annotations
  langfuse  traces, observations and scores, exported to files or to blob storage, or from the public API
  openai    evals, runs, output items, files and fine-tuning jobs, as the SDKs return them; files to train on
  tensorzero  its configuration, and its tables as JSONEachRow, Parquet or PostgreSQL's COPY

Examples:
  $ heddle import weave calls.jsonl --project team/demo
  $ heddle import langfuse observations.jsonl.gz --project team/demo
  $ heddle import openai evals.json runs.json items.jsonl jobs.json file-*.jsonl --project team/demo
  $ heddle import tensorzero --config config/tensorzero.toml exports/ --project team/demo`;
