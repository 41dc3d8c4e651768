import { type Command, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../config.ts';
import { parsePlain } from '../util/json/parse.ts';
import { askServer } from './ask.ts';
import { toCount, toNumber, toShare, toWhole } from './option-values.ts';
import { showProgress } from './progress-line.ts';
import { addSettings, configOf } from './setting-options.ts';
import { type StartOptions, startJob } from './start-job.ts';
import { describePreview, nothingToLearn } from './train-preview.ts';
import { type SftOptions, trainSupervised } from './train-sft.ts';

type TrainOptions = {
  project: string;
  model: string;
  base?: string;
  from?: string;
  reward?: string;
  groupBy: string;
  limit: number;
  learningRate?: number;
  withoutLogprobs?: true;
  set?: Record<string, unknown>;
} & StartOptions &
  SftOptions;

export function addTrain(program: Command): void {
  const train = addSettings(
    program
      .command('train')
      .summary('train a model on chats in the trace store, or on conversations')
      .description(
        'Trains a model by reinforcement learning on chats in the trace store, with a score as the reward; or, with --sft, by ' +
          'supervised fine-tuning on conversations. Shows a preview of the job, asks for confirmation, starts it and follows ' +
          'it. Needs a running server.',
      ),
    ['data'],
  )
    .requiredOption('--project <name>', 'project of the chats and the model, such as my-project or entity/my-project')
    .requiredOption('--model <name>', 'model to train; created if it does not exist')
    .option('--base <name>', 'base model of a new model; default: the default model of the server')
    .option('--from <filter>', 'calls to train on, see below')
    .option('--limit <number>', 'maximum number of calls to read, newest first', toCount, 10_000)
    .option(
      '--learning-rate <number>',
      'learning rate; default: 5e-6, with --sft 5e-5; small models need a higher one',
      toNumber,
    )
    .option('--allow-suite-rows', 'train also on rows that match those of suites')
    .option('--dry-run', 'show the preview and exit')
    .option('--yes', 'start the job without confirmation')
    .option('--detach', 'exit after the job has started')
    .optionsGroup('Reinforcement learning:')
    .option('--reward <name>', 'score of the calls, or a field such as output.score, see below')
    .option(
      '--group-by <field>',
      'compare calls with the same prompt, with the same value of a field, or all calls',
      'prompt',
    )
    .option('--without-logprobs', 'also train on answers of other models, without logprobs')
    .option(
      '--set <key=value>',
      'set a key of experimental_config, such as kl_penalty_coef=0.1; can be repeated',
      toSetting,
    )
    .optionsGroup('Supervised fine-tuning:')
    .option('--sft [file]', 'train on conversations from a .jsonl file, --dataset or --from')
    .option('--dataset <name>', 'published dataset of conversations: a name, name:version or URL')
    .option('--hold-out <share>', 'share of conversations to hold out for a validation loss, such as 10%', toShare, 0)
    .option('--batch-size <number>', 'conversations per step; default: 2', toCount)
    .option('--epochs <number>', 'number of epochs', toCount, 1)
    .addOption(
      new Option('--schedule <kind>', 'how the learning rate falls over the steps')
        .choices(['constant', 'linear', 'cosine'])
        .default('constant'),
    )
    .option('--warm-up <steps>', 'steps over which the learning rate rises from 0', toWhole, 0)
    .option('--last-turn', 'train only the last answer of each conversation')
    .option('--show <number>', 'number of conversations to show in the preview', toWhole, 1)
    .addHelpText('after', help)
    .action(async (options: TrainOptions) => {
      const { sft, from, reward } = options;
      refuseOptions(
        train,
        sft === undefined ? sftOnly : rewardOnly,
        sft === undefined ? 'needs --sft' : 'cannot be used with --sft',
      );
      if (sft !== undefined) process.exitCode = await trainSupervised(configOf(train), options);
      else if (from !== undefined && reward !== undefined)
        process.exitCode = await run(train, { ...options, from, reward });
      else throw new ConfigError('Give the data to train on: --from FILTER and --reward NAME, or --sft.');
    });
}

const rewardOnly = ['reward', 'groupBy', 'withoutLogprobs', 'set'];
const sftOnly = ['dataset', 'holdOut', 'batchSize', 'epochs', 'schedule', 'warmUp', 'lastTurn', 'show'];

/** @throws ConfigError if one of these options was given */
function refuseOptions(command: Command, names: string[], reason: string): void {
  const given = command.options.find(
    (option) =>
      names.includes(option.attributeName()) && command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (given) throw new ConfigError(`${given.long} ${reason}.`);
}

const help = `
The filter is a condition on calls: FIELD:VALUE, with : = != > >= < <= or ~ (contains), joined by and, or, not and brackets.
Fields are those of call queries: op_name, model, status, thread_id, started_at, inputs.PATH, attributes.PATH, output.PATH, and
feedback.[TYPE].payload.PATH. You can also pass a JSON query as for /calls/stream_query.

The reward is the name of a scorer, an annotation or a feedback type, with .PATH for a field of its value, or the path of a
field of the call. True is 1 and false is 0. A call without a reward uses the one of its nearest ancestor; calls that
share a reward form one trajectory.

Exit status: 0 on success; 1 if there is nothing to learn from or the job failed; 2 for invalid options.

Conversations are JSON Lines with messages and tools, in the format of chat completions. Only the assistant's output is
trained. The preview shows it in green, or between ⟦ and ⟧ if the output has no colors.

Examples:
  $ heddle train --project demo --model agent --from "op_name:heddle.chat.completions" --reward correct
  $ heddle train --project demo --model agent --from "model~agent and started_at>2026-11-01" --reward judge.passed --dry-run
  $ heddle train --project demo --model support --sft conversations.jsonl --hold-out 10% --learning-rate 1e-3
  $ heddle train --project demo --model support --sft --from "feedback.[thumbs].payload.up:true"`;

/** @returns the exit code */
async function run(command: Command, options: TrainOptions & { from: string; reward: string }): Promise<number> {
  const config = configOf(command);
  const { project, model, base = null, from, reward, groupBy, limit } = options;
  const wanted = { project, model, base, config: settingsOf(options) };
  const line = showProgress(process.stderr);
  const asked = askServer(config, 'train.preview', { ...wanted, from, reward, groupBy, limit }, line.show);
  const { chosen, ...preview } = await asked.finally(line.end);
  process.stdout.write(describePreview(preview, reward));
  const reason = nothingToLearn(preview, options);
  if (reason !== null) {
    process.stderr.write(`${reason}\n`);
    return 1;
  }
  return startJob(config, options, () =>
    askServer(config, 'train.start', { ...wanted, chosen, allowsSuiteRows: options.allowSuiteRows ?? false }),
  );
}

function settingsOf({ learningRate, withoutLogprobs, set }: TrainOptions): Record<string, unknown> {
  return {
    ...(learningRate === undefined ? {} : { learning_rate: learningRate }),
    ...(withoutLogprobs ? { allow_training_without_logprobs: true } : {}),
    ...set,
  };
}

/** Values are JSON where they can be, otherwise text. */
function toSetting(given: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, key, value] = /^([a-z0-9_]+)=(.+)$/s.exec(given) ?? [];
  if (key === undefined) throw new InvalidArgumentError('Expected a key and a value, such as kl_penalty_coef=0.1.');
  return { ...before, [key]: parsed(value!) };
}

function parsed(text: string): unknown {
  try {
    return parsePlain(text);
  } catch {
    return text;
  }
}
