import type { Command } from 'commander';
import type { OperationAnswer } from '../admin/operations.ts';
import { ask } from './ask.ts';
import { toShares, toWhole } from './option-values.ts';
import { readJsonFile } from './read-json-file.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addPolicies(program: Command): void {
  const policies = program
    .command('policies')
    .summary('divide the traffic of a name among models')
    .description(
      'Lists, shows and changes policies: names that stand for several models or prompts in chats. A policy is written as ' +
        'ENTITY/PROJECT/NAME.',
    );

  const list = addSettings(
    policies.command('list <project>').description('Lists the policies of a project, ENTITY/PROJECT.'),
    ['data'],
  ).action(async (project: string) => {
    const found = await ask(configOf(list), 'policies.list', { project });
    const rows = found.map(({ name, number, kind, shares, reason }) => [
      name,
      String(number),
      kind,
      textOf(shares),
      reason,
    ]);
    process.stdout.write(table(['POLICY', 'VERSION', 'KIND', 'SHARES', 'WHY'], rows));
  });

  const show = addSettings(
    policies
      .command('show <policy>')
      .description('Shows the versions of a policy, and what is known of the latest one.'),
    ['data'],
  ).action(async (policy: string) => {
    process.stdout.write(shown(await ask(configOf(show), 'policies.show', { policy })));
  });

  const set = addSettings(
    policies
      .command('set <policy>')
      .description('Makes a policy or its next version, from a file with its plan, or by moving it to another stage.'),
    ['data'],
  )
    .option('--file <path>', 'JSON with variants, incumbent, traffic and scorers, as in the API')
    .option('--stage <number>', 'the stage to go to; 0 returns the traffic to the incumbent', toWhole)
    .option('--reason <text>', 'why, for the list of versions', '')
    .addHelpText(
      'after',
      `
Examples:
  $ heddle policies set team/app/bot --file bot.json --reason "try step 40"
  $ heddle policies set team/app/bot --stage 2`,
    )
    .action(async (policy: string, { file, ...options }: { file?: string; stage?: number; reason: string }) => {
      const plan = file === undefined ? undefined : readJsonFile(file);
      report(await ask(configOf(set), 'policies.set', { policy, plan, ...options }));
    });

  const undo = addSettings(
    policies
      .command('undo <policy>')
      .description('Makes a version equal to the one before the latest: the same units get the same variants again.'),
    ['data'],
  )
    .option('--to <version>', 'another earlier version', toWhole)
    .option('--reason <text>', 'why, for the list of versions', '')
    .action(async (policy: string, { to: version, reason }: { to?: number; reason: string }) => {
      report(await ask(configOf(undo), 'policies.undo', { policy, version, reason }));
    });

  const estimate = addSettings(
    policies
      .command('estimate <policy>')
      .description(
        'Estimates the mean reward that other shares would have had, from the answers of the current experiment.',
      ),
    ['data'],
  )
    .requiredOption('--shares <list>', 'the shares, such as now=0.2,next=0.8', toShares)
    .requiredOption('--reward <name>', 'the scorer of the policy that rewards are taken from')
    .addHelpText(
      'after',
      `
Example:
  $ heddle policies estimate team/app/bot --shares now=0.2,next=0.8 --reward thumbs`,
    )
    .action(async (policy: string, query: { shares: Record<string, number>; reward: string }) => {
      process.stdout.write(estimated(await ask(configOf(estimate), 'policies.estimate', { policy, ...query })));
    });
}

function estimated({ versions, units, missing, judgement }: OperationAnswer<'policies.estimate'>): string {
  const from = `From ${units} units of ${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}; ${missing} have no feedback.\n`;
  if (judgement.kind === 'refused') return `${from}No estimate: ${judgement.message}\n`;
  const { ips, selfNormalized, doublyRobust } = judgement;
  const rows = Object.entries({ ips, 'self-normalized': selfNormalized, 'doubly robust': doublyRobust }).map(
    ([name, { mean, lower, upper }]) => [name, number(mean), rangeOf(lower, upper)],
  );
  return `${table(['ESTIMATE', 'MEAN', '95 %'], rows)}${from}They are worth ${judgement.effectiveSize.toFixed(0)} units of these shares.\n`;
}

type BestArm = NonNullable<NonNullable<OperationAnswer<'policies.show'>[number]['look']>['bestArm']>;
type Shares = OperationAnswer<'policies.list'>[number]['shares'];

function report({ name, number, shares }: OperationAnswer<'policies.set'>): void {
  process.stderr.write(`Version ${number} of ${name} is active: ${textOf(shares)}.\n`);
}

function textOf(shares: Shares): string {
  return shares.map(({ name, share }) => `${name} ${percent(share)}`).join(', ');
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`;
}

function shown(versions: OperationAnswer<'policies.show'>): string {
  const rows = versions.map(({ number, kind, shares, createdAt, createdBy, reason }) => [
    ...[String(number), createdAt.slice(0, 16).replace('T', ' '), createdBy, kind, textOf(shares), reason],
  ]);
  return table(['VERSION', 'MADE', 'BY', 'KIND', 'SHARES', 'WHY'], rows) + outcomesOf(versions[0]!.look);
}

function outcomesOf(look: OperationAnswer<'policies.show'>[number]['look']): string {
  if (look === null) return '\nNothing is known of the latest version yet.\n';
  const assigned = table(
    ['VARIANT', 'UNITS', 'MOVED', 'ANSWERS', 'FAILURES'],
    look.variants.map(({ name, ...counts }) => [
      name,
      ...[counts.units, counts.movedUnits, counts.answers, counts.failures].map(String),
    ]),
  );
  const scored = look.scorers.flatMap(({ reward, variants }) =>
    variants.map(({ name, counted, open, missing, mean, lower, upper }) => [
      ...[reward, name, String(counted), String(open), String(missing)],
      ...[number(mean), rangeOf(lower, upper)],
    ]),
  );
  const heading = ['REWARD', 'VARIANT', 'COUNTED', 'OPEN', 'MISSING', 'MEAN', '95 %'];
  const warning = look.sampleRatio.isMismatch
    ? `\nThe units are not divided as planned (p = ${look.sampleRatio.p.toExponential(1)}): do not compare these variants.\n`
    : '';
  const bestArm = look.bestArm === null ? '' : bestArmOf(look.bestArm);
  return `\n${assigned}${scored.length > 0 ? `\n${table(heading, scored)}` : ''}${warning}${bestArm}`;
}

function bestArmOf({ reward, since, winner, warning, arms }: BestArm): string {
  const rows = arms.map(({ name, isIn, counted, missing, mean, lower, upper, lowest, highest }) => [
    ...[isIn ? name : `${name} (returned)`, String(counted), String(missing), number(mean), rangeOf(lower, upper)],
    rangeOf(lowest, highest),
  ]);
  const heading = ['ARM', 'COUNTED', 'MISSING', 'MEAN', '95 %', 'IF MISSING COUNTS'];
  const verdict = winner === null ? (warning ?? 'None is shown to be best yet.') : `${winner} is shown to be best.`;
  return `\nBy ${reward}, since version ${since}:\n${table(heading, rows)}${verdict}\n`;
}

function number(value: number | null): string {
  return value === null ? '-' : value.toFixed(3);
}

function rangeOf(lower: number | null, upper: number | null): string {
  return lower === null ? '-' : `${number(lower)} to ${number(upper)}`;
}
