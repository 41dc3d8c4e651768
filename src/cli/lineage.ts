import type { Command } from 'commander';
import type { OperationAnswer } from '../admin/operations.ts';
import { invalidInput } from '../util/failures.ts';
import { ask, askServer } from './ask.ts';
import { toCount } from './option-values.ts';
import { addSettings, configOf } from './setting-options.ts';
import { lineageLines } from './show-lineage.ts';

type Verified = OperationAnswer<'lineage.verify'>[number];

export function addLineage(program: Command): void {
  const lineage = program.command('lineage').summary('show where an answer comes from, and verify it');
  addShow(lineage);
  addVerify(lineage);
}

function addShow(parent: Command): void {
  const show = addSettings(
    parent
      .command('show <call-id>')
      .summary('show where an answer comes from')
      .description(
        'Shows the checkpoint that answered, the job that made it and the calls that it learned from, with their scores, and what was trained ' +
          'on this call. Works with or without a running server.',
      ),
    ['data'],
  )
    .option('--project <name>', 'project of the call, if several have one with this id')
    .option('--rows <number>', 'how many calls of the job are shown', toCount, 10)
    .action(async (callId: string, { project, rows }: { project?: string; rows: number }) => {
      const asked = { callId, project: project ?? null, limit: Math.min(rows, 100) };
      const { project: name, lineage: found } = await ask(configOf(show), 'lineage.show', asked);
      process.stdout.write(`${lineageLines(name, found).join('\n')}\n`);
    });
}

type VerifyOptions = { project?: string; last?: number; model?: string };

function addVerify(parent: Command): void {
  const verify = addSettings(
    parent
      .command('verify [call-ids...]')
      .summary('compute recorded answers again')
      .description(
        "Computes recorded answers of heddle's own engine again and compares them with what was recorded. Needs a running server.",
      ),
    ['data'],
  )
    .option('--project <name>', 'project of the calls')
    .option('--last <number>', 'verify this many of the newest answers of the project', toCount)
    .option('--model <name>', 'ask this model instead of the one that answered')
    .addHelpText('after', help)
    .action(async (callIds: string[], options: VerifyOptions) => {
      const { project = null, model = null } = options;
      const config = configOf(verify);
      const ids = options.last === undefined ? callIds : await newest(config, callIds, options);
      if (ids.length === 0) throw invalidInput('Give the ids of calls, or --last with --project.');
      const counts = new Map<Verified['result'], number>();
      for (let from = 0; from < ids.length; from += together) {
        const some = { project, model, callIds: ids.slice(from, from + together) };
        for (const line of await askServer(config, 'lineage.verify', some)) {
          counts.set(line.result, (counts.get(line.result) ?? 0) + 1);
          process.stdout.write(`${describeVerified(line)}\n`);
        }
      }
      if (ids.length > 1) process.stdout.write(`${[...counts].map(([result, n]) => `${n} ${result}`).join(', ')}\n`);
      process.exitCode = counts.has('different') ? 1 : counts.has('cannot') ? 2 : 0;
    });
}

/** The digests of the files are read once for these. */
const together = 100;

async function newest(
  config: Parameters<typeof askServer>[0],
  callIds: string[],
  { last, project }: VerifyOptions,
): Promise<string[]> {
  if (callIds.length > 0 || project === undefined) throw invalidInput('--last needs --project, and no ids of calls.');
  return (await askServer(config, 'lineage.newest', { project, last: last! })).callIds;
}

function describeVerified(line: Verified): string {
  const { call_id: id, result, tokens, is_promised: isPromised, first_difference: place, message, digests } = line;
  if (result === 'cannot') {
    const files = digests.map(({ file, names }) => `${file} (${names.join(', ')})`).join(', ');
    return `${id}  cannot      ${files === '' ? line.reason : `digest of ${files}`}: ${message}`;
  }
  const far =
    line.logprob_difference === 0
      ? 'the same logprobs'
      : `logprobs within ${line.logprob_difference!.toExponential(1)}`;
  const where =
    place === null
      ? ''
      : `; token ${place.token + 1}${place.choice > 0 ? ` of choice ${place.choice + 1}` : ''} is the first that differs`;
  const promise = result === 'identical' && !isPromised ? '; not promised' : '';
  const broken = result !== 'identical' && isPromised ? '; identical was promised' : '';
  return `${id}  ${result.padEnd(10)}  ${tokens} tokens, ${far}${where}${promise}${broken}${message === null ? '' : `. ${message}`}`;
}

const help = `
identical: the same tokens were drawn again, with the same logprobs (within 0.001 where the record does not promise more).
consistent: not that, but the model predicts the recorded tokens with logprobs within 0.001 of the recorded ones.
different: it does not. The line says which token differs first, and by how much.
cannot: the line says why, such as a file whose SHA-256 is not the recorded one.

Exit status: 0 if all answers are identical or consistent; 1 if one is different; 2 if none is different and one cannot be verified, and
for invalid options.

Examples:
  $ heddle lineage verify 0198a2…
  $ heddle lineage verify --project demo --last 100
  $ heddle lineage verify --project demo --model wandb-artifact:///me/demo/agent:step3 0198a2…`;
