import { basename, extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { OperationAnswer, Params } from '../admin/operations.ts';
import type { Config } from '../config.ts';
import { ApiError, notFound } from '../contract/errors.ts';
import { invalidInput } from '../util/failures.ts';
import { askServer } from './ask.ts';
import { compareTable, resultTable, unscored } from './eval-tables.ts';
import { evaluationProgress } from './evaluation-progress.ts';
import { collect, toCount, toNumber } from './option-values.ts';
import { isRowsFile, readRows } from './read-rows.ts';
import { addSettings, configOf } from './setting-options.ts';
import { missedThresholds, type Threshold, toThreshold } from './thresholds.ts';

type RunOptions = {
  project: string;
  model: string;
  dataset?: string;
  evaluation?: string;
  scorer: string[];
  prompt?: string;
  system?: string;
  temperature?: number;
  maxTokens?: number;
  trials: number;
  name?: string;
  threshold: Threshold[];
  allowMissing: boolean;
};

export function addEval(program: Command): void {
  const command = program
    .command('eval')
    .summary('run and compare evaluations')
    .description('Runs evaluations on the server and compares them. Needs a running server.');
  addRun(command);
  addCompare(command);
  addCancel(command);
}

function addRun(parent: Command): void {
  const run = addSettings(
    parent
      .command('run')
      .summary('evaluate a model')
      .description('Evaluates a model on a dataset, shows the progress, and prints a table of scores.'),
    ['data'],
  )
    .requiredOption('--project <name>', 'project of the evaluation, such as my-project or entity/my-project')
    .requiredOption('--model <name>', 'name of a model, or of a published completion model')
    .option('--dataset <name>', 'a published dataset, or a .jsonl or .json file of rows')
    .addOption(
      new Option('--evaluation <name>', 'a published evaluation, instead of a dataset and scorers').conflicts([
        ...['dataset', 'scorer', 'trials', 'name'],
      ]),
    )
    .option('--scorer <name>', 'a published scorer, or a rule; can be repeated', collect, [])
    .option('--prompt <text>', "message to the model, with the row's columns as {column}")
    .option('--system <text>', 'system message, before the prompt')
    .option('--temperature <number>', 'sampling temperature', toNumber)
    .option('--max-tokens <number>', 'maximum length of an answer', toCount)
    .option('--trials <number>', 'number of trials per row', toCount, 1)
    .option('--name <text>', 'name of the run')
    .option('--threshold <score=value>', 'exit with 1 if a score is lower; can be repeated', collectThreshold, [])
    .option('--allow-missing', 'accept a threshold of a score that some answers lack', false)
    .addHelpText('after', help)
    .action(async (options: RunOptions) => {
      const config = configOf(run);
      const { callId, project } = await askServer(config, 'eval.start', await startParams(options));
      process.stderr.write(`Started evaluation ${callId}.\n`);
      const line = evaluationProgress(process.stderr, `${options.model} on ${options.dataset ?? options.evaluation}`);
      const end = await followed(config, { project, callId }, line.show).finally(line.end);
      if (end.code === 'failed') throw notFound(`The evaluation ${callId} failed: ${end.error}`);
      const [result] = await askServer(config, 'eval.results', { project, callIds: [callId] });
      process.stdout.write(resultTable(result!, end.output));
      const missed = missedThresholds(options.threshold, result!, options);
      for (const each of missed) process.stderr.write(`${each}\n`);
      if (options.threshold.length > 0) process.stderr.write(thresholdNote);
      const hasNoAnswers = result!.failures.predictions.count === result!.trialCount;
      if (missed.length > 0 || hasNoAnswers || unscored(result!, end.output).length > 0) process.exitCode = 1;
    });
}

function addCompare(parent: Command): void {
  const compare = addSettings(
    parent
      .command('compare <a> <b>')
      .summary('compare two evaluations')
      .description(
        'Compares two evaluations, given by their call ids: the scores of each, and the difference on the rows they share.',
      ),
    ['data'],
  )
    .requiredOption('--project <name>', 'project of the evaluations')
    .addHelpText('after', '\nExample:\n  $ heddle eval compare --project my-project 0198a2… 0198b7…')
    .action(async (a: string, b: string, { project }: { project: string }) => {
      if (a === b) throw invalidInput('Give two different evaluations.');
      const found = await askServer(configOf(compare), 'eval.results', { project, callIds: [a, b] });
      process.stdout.write(compareTable(found[0]!, found[1]!));
    });
}

function addCancel(parent: Command): void {
  const cancel = addSettings(
    parent.command('cancel <id>').description('Cancels an evaluation that is waiting or running.'),
    ['data'],
  )
    .requiredOption('--project <name>', 'project of the evaluation')
    .action(async (callId: string, { project }: { project: string }) => {
      const { canceled } = await askServer(configOf(cancel), 'eval.cancel', { project, callId });
      process.stderr.write(canceled ? 'Canceled.\n' : 'This evaluation is not waiting or running.\n');
      if (!canceled) process.exitCode = 1;
    });
}

const thresholdNote =
  'A threshold compares the mean on these rows alone. To decide whether a model is better with evidence, use `heddle gate`.\n';

const help = `
Without --prompt, the messages are those of the published model, followed by the column user_input.
Rules compare the answer with the column expected: exact_match, contains, regex, json_schema, numeric, text_similarity.
regex:PATTERN, numeric:TOLERANCE and text_similarity:THRESHOLD set an argument, which is also part of the score's name.
An answer that failed did not pass: it counts in rates. Means leave it out.
The evaluation continues if you stop this command; \`heddle eval cancel\` cancels it.

Exit status: 0 on success; 1 if the evaluation failed, a threshold was not reached, some answers lack a score that has
a threshold (unless --allow-missing), or the model or a scorer failed on every row; 2 for invalid options.

Examples:
  $ heddle eval run --project demo --model heddle/tiny --dataset quiz.jsonl --prompt "{question}" --scorer contains
  $ heddle eval run --project demo --model my-model:v2 --evaluation my-evaluation --threshold exact_match=0.8`;

async function startParams(options: RunOptions): Promise<Params<'eval.start'>> {
  const { project, model, dataset, evaluation, scorer: scorers, trials, name } = options;
  const thresholds = options.threshold.map(({ score }) => score);
  const common = { project, model, modelParams: modelParams(options), scorers, trials, name, thresholds };
  if (dataset === undefined || !isRowsFile(dataset)) return { ...common, dataset, evaluation };
  return { ...common, dataset: basename(dataset, extname(dataset)), rows: await readRows(dataset) };
}

function modelParams({ system, prompt, temperature, maxTokens: max_tokens }: RunOptions) {
  const messages_template = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    ...(prompt === undefined ? [] : [{ role: 'user', content: prompt }]),
  ];
  return {
    ...(messages_template.length > 0 ? { messages_template } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
  };
}

/** Waits for the end of an evaluation. */
async function followed(
  config: Config,
  of: Params<'eval.status'>,
  show: (progress: OperationAnswer<'eval.status'>) => void,
): Promise<OperationAnswer<'eval.status'>> {
  for (;;) {
    const status = await askServer(config, 'eval.status', of).catch((error) => {
      const isGone = error instanceof ApiError && (error.status === 503 || error.status === 404);
      throw isGone
        ? notFound(`The server stopped. Evaluation ${of.callId} continues when the server starts again.`)
        : error;
    });
    if (status.code === 'complete' || status.code === 'failed') return status;
    show(status);
    await wait(200);
  }
}

function collectThreshold(value: string, before: Threshold[]): Threshold[] {
  const threshold = toThreshold(value);
  if (threshold === null) throw new InvalidArgumentError('Expected a score and a number, such as exact_match=0.8.');
  return [...before, threshold];
}
