import type { Command } from 'commander';
import { checkVerdict } from '../admin/gates/check-verdict.ts';
import type { OperationAnswer } from '../admin/operations.ts';
import { askServer } from './ask.ts';
import { follow } from './follow-gate.ts';
import { type Guardrail, toGuardrail, toWatched, type WatchedOption } from './gate-metrics.ts';
import { gateReport } from './gate-report.ts';
import { readText, requestOf, type StartOptions } from './gate-request.ts';
import { collect, toCount, toNumber } from './option-values.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';
import { shorten } from './thresholds.ts';

export function addGate(program: Command): void {
  const gate = program
    .command('gate')
    .summary('compare a candidate model with the incumbent, and decide')
    .description(
      'Compares a candidate with the incumbent on a suite, and decides with evidence: promote, reject, or not enough evidence.',
    );
  addStart(gate);
  addWatch(gate);
  addShow(gate);
  addList(gate);
  addCancel(gate);
  addVerdict(gate);
  addPublicKey(gate);
  addVerify(gate);
}

const project = ['--project <name>', 'project of the gate, such as my-project or entity/my-project'] as const;

function addStart(parent: Command): void {
  const start = addSettings(
    parent
      .command('start')
      .summary('start a gate, and wait for its verdict')
      .description('Stores the plan of a gate, starts it, and waits for its verdict. Needs a running server.'),
    ['data'],
  )
    .requiredOption(...project)
    .option('--suite <name>', 'suite on which the models are compared')
    .option('--candidate <name>', 'name of a model, or of a published completion model')
    .option('--incumbent <name>', 'what it is compared with')
    .option('--scorer <name>', 'a published scorer, or a rule; can be repeated', collect, [])
    .option('--target <score>', 'the score that must get better')
    .option('--gain <number>', 'the smallest gain that matters', toNumber)
    .option(
      '--guardrail <score=margin>',
      'what must not get worse by more than its margin; can be repeated',
      (value: string, before: Guardrail[]) => [...before, toGuardrail(value)],
      [],
    )
    .option(
      '--watch <rows:harm>',
      'rows or scores that block the candidate if harm is shown; can be repeated',
      (value: string, before: WatchedOption[]) => [...before, toWatched(value)],
      [],
    )
    .option('--plan <file>', 'a JSON file with the body of a request to create a gate; options replace its fields')
    .option('--rows-max <number>', 'the most rows that are answered', toCount)
    .option('--repeats <number>', 'answers of each model to each row', toCount)
    .option('--seed <text>', 'what the random order of threads is made from')
    .option('--prompt <text>', "message to both models, with the row's columns as {column}")
    .option('--system <text>', 'system message, before the prompt')
    .option('--candidate-prompt <name>', 'a published prompt for the candidate, if it is the name of a model')
    .option('--incumbent-prompt <name>', 'the same for the incumbent')
    .option('--temperature <number>', 'sampling temperature', toNumber)
    .option('--max-tokens <number>', 'maximum length of an answer', toCount)
    .option('--out <file>', 'write the signed verdict to this file')
    .option('--no-wait', 'print the id of the gate, and do not wait')
    .addHelpText('after', startHelp)
    .action(async (options: StartOptions) => {
      const config = configOf(start);
      const request = requestOf(options);
      const { id } = await askServer(config, 'gate.start', { project: options.project, request });
      if (!options.wait) {
        process.stdout.write(`${id}\n`);
        return;
      }
      process.stderr.write(`Started gate ${id}. It continues if you stop this command.\n`);
      await follow(config, { project: options.project, id }, options.out);
    });
}

function addWatch(parent: Command): void {
  const watch = addSettings(parent.command('watch <gate>').summary('wait for the verdict of a gate'), ['data'])
    .requiredOption(...project)
    .option('--out <file>', 'write the signed verdict to this file')
    .addHelpText('after', exitHelp)
    .action((id: string, { project: of, out }: { project: string; out?: string }) =>
      follow(configOf(watch), { project: of, id }, out),
    );
}

function addShow(parent: Command): void {
  const show = addSettings(parent.command('show <gate>').summary('show the evidence of a gate so far'), ['data'])
    .requiredOption(...project)
    .action(async (id: string, { project: of }: { project: string }) => {
      process.stdout.write(gateReport(await askServer(configOf(show), 'gate.read', { project: of, id })));
    });
}

function addList(parent: Command): void {
  const list = addSettings(parent.command('list').summary('list the newest gates of a project'), ['data'])
    .requiredOption(...project)
    .option('--suite <name>', 'only gates on this suite')
    .action(async ({ project: of, suite }: { project: string; suite?: string }) => {
      const gates = await askServer(configOf(list), 'gate.list', { project: of, suite: suite ?? null });
      process.stdout.write(gates.length === 0 ? 'There are no gates yet.\n' : listed(gates));
    });
}

function addCancel(parent: Command): void {
  const cancel = addSettings(parent.command('cancel <gate>').summary('end a gate without a verdict'), ['data'])
    .requiredOption(...project)
    .action(async (id: string, { project: of }: { project: string }) => {
      const { canceled } = await askServer(configOf(cancel), 'gate.cancel', { project: of, id });
      process.stderr.write(canceled ? 'Canceled.\n' : 'This gate has already ended.\n');
      if (!canceled) process.exitCode = 1;
    });
}

function addVerdict(parent: Command): void {
  const verdict = addSettings(parent.command('verdict <gate>').summary('print the signed verdict of a gate, as JSON'), [
    'data',
  ])
    .requiredOption(...project)
    .action(async (id: string, { project: of }: { project: string }) => {
      const { envelope } = await askServer(configOf(verdict), 'gate.verdict', { project: of, id });
      process.stdout.write(`${envelope}\n`);
    });
}

function addPublicKey(parent: Command): void {
  const publicKey = addSettings(
    parent.command('public-key').summary('print the key that verifies the verdicts of this server'),
    ['data'],
  ).action(async () => {
    process.stdout.write((await askServer(configOf(publicKey), 'gate.publicKey', {})).pem);
  });
}

const faultTexts = {
  signature: 'The key has not signed this verdict, or it was changed.',
  order: 'The threads were not compared in the order of the plan.',
  verdict: 'The differences of the threads lead to another verdict.',
} as const;

function addVerify(parent: Command): void {
  parent
    .command('verify <file>')
    .summary('verify a signed verdict, without a server')
    .description(
      'Verifies that a key has signed a verdict, that the threads come in the order of the plan, and that their differences ' +
        'lead to this verdict. It needs no server. Exit status: 0 if all is true, 1 otherwise.',
    )
    .requiredOption('--public-key <file>', 'the key, as `heddle gate public-key` prints it')
    .action((file: string, { publicKey }: { publicKey: string }) => {
      const { document, faults } = checkVerdict(readText(file), readText(publicKey));
      for (const fault of faults) process.stderr.write(`${faultTexts[fault]}\n`);
      if (faults.length > 0) {
        process.exitCode = 1;
        return;
      }
      const { suite, candidate, incumbent, verdict, plan, threads } = document;
      process.stdout.write(
        `Valid: ${verdict.kind.replaceAll('-', ' ')} ${candidate.name} (${candidate.ref}) in place of ${incumbent.name} on ` +
          `${suite.name} (${suite.dataset}), after ${threads.length} threads, at ${shorten(plan.alpha)}.\n`,
      );
    });
}

const exitHelp = `
Exit status: 0: promote; 3: reject; 4: not enough evidence; 1: the gate failed or was canceled; 2: invalid options.`;

const startHelp = `
The target and guardrails are scores, by the name of their scorer, or members of them, as in judge.helpful. Scores are from 0 to 1;
--plan can give other bounds. latency (seconds), cost (US dollars) and output_tokens have no bounds: latency>2=0.05 limits how
much larger the share of rows above 2 may be.
--watch language=de:0.2 watches the target in rows whose column language is de; --watch helpful:0.1 watches a score in all rows.
${exitHelp}

Examples:
  $ heddle suites freeze sums --project demo --dataset sums
  $ heddle gate start --project demo --suite sums --candidate my-model:v2 --incumbent my-model:v1 \\
      --scorer exact_match --target exact_match --gain 0.05 --guardrail 'latency>2=0.05' --watch language=de:0.2`;

function listed(gates: OperationAnswer<'gate.list'>): string {
  const rows = gates.map(({ id, suiteName, number, candidate, incumbent, state, verdict, createdAt }) => [
    id.slice(-12),
    `${suiteName} #${number}`,
    candidate.name,
    incumbent.name,
    verdict?.replaceAll('-', ' ') ?? state,
    createdAt.slice(0, 16).replace('T', ' '),
  ]);
  return table(['GATE', 'SUITE', 'CANDIDATE', 'INCUMBENT', 'VERDICT', 'CREATED (UTC)'], rows);
}
