import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { OperationAnswer } from '../admin/operations.ts';
import type { Config } from '../config.ts';
import { invalidInput } from '../util/failures.ts';
import { ask, askServer } from './ask.ts';
import { toWhole } from './option-values.ts';
import { readJsonFile } from './read-json-file.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

type OfLoop = { project: string };
type OfTurn = OfLoop & { turn?: number; reason: string };
type Loop = OperationAnswer<'loop.list'>[number];
type Turn = NonNullable<Loop['latest_turn']>;

/** What the end of a turn means for the exit status: as gates, and 1 for all other ends without a promotion. */
const exitCodes: Partial<Record<NonNullable<Turn['outcome']>, number>> = {
  promoted: 0,
  rejected: 3,
  'not-enough-evidence': 4,
};

export function addLoop(program: Command): void {
  const loop = program
    .command('loop')
    .summary('turn chats into a better model in use, again and again')
    .description(
      'A loop collects chats, trains a candidate on them, tests it with a gate on a suite, and gives it traffic in stages. docs/loops.md ' +
        'describes its file.',
    );

  const save = ofLoop(loop.command('save <name>'))
    .summary('make a loop, or change its plan')
    .requiredOption('--file <path>', 'the plan as JSON')
    .action(async (name: string, { project, file }: OfLoop & { file: string }) => {
      const saved = await askServer(configOf(save), 'loop.save', { project, name, plan: readJsonFile(file) });
      process.stderr.write(`${saved.isNew ? 'Made' : 'Changed'} the loop ${name}.\n`);
    });

  const list = ofLoop(loop.command('list')).summary('list the loops of a project');
  list.action(async ({ project }: OfLoop) => {
    process.stdout.write(listed(await ask(configOf(list), 'loop.list', { project })));
  });

  const show = ofLoop(loop.command('show <name>')).summary('show the turns of a loop');
  show.option('--json', 'print the plan as JSON, as `heddle loop save` reads it');
  show.action(async (name: string, { project, json }: OfLoop & { json?: true }) => {
    const found = await ask(configOf(show), 'loop.read', { project, name });
    process.stdout.write(json ? `${JSON.stringify(found.plan, null, 2)}\n` : shown(found));
  });

  const start = ofLoop(loop.command('start <name>'))
    .summary('start a turn, and follow it to its end')
    .option('--detach', 'exit after the turn has started')
    .addHelpText('after', exitHelp)
    .action(async (name: string, { project, detach }: OfLoop & { detach?: true }) => {
      const turn = await askServer(configOf(start), 'loop.start', { project, name });
      if (detach) process.stderr.write(`Started turn ${turn.number}.\n`);
      else await follow(configOf(start), { project, name });
    });

  const watch = ofLoop(loop.command('watch <name>')).summary('follow the latest turn to its end');
  watch.addHelpText('after', exitHelp);
  watch.action(async (name: string, { project }: OfLoop) => follow(configOf(watch), { project, name }));

  for (const answer of ['yes', 'no'] as const) {
    const command = ofTurn(loop.command(`${answer} <name>`)).summary(
      answer === 'yes' ? 'let the candidate of a turn have traffic' : 'decline the candidate of a turn',
    );
    command.action(async (name: string, { project, turn, reason }: OfTurn) => {
      const of = { project, name, number: turn ?? null };
      const { number } = await askServer(configOf(command), 'loop.answer', { ...of, answer, reason });
      process.stderr.write(`Turn ${number}: ${answer}.\n`);
    });
  }

  const cancel = ofTurn(loop.command('cancel <name>')).summary('end a turn, and return the traffic of its candidate');
  cancel.action(async (name: string, { project, turn }: OfTurn) => {
    const { number, canceled } = await askServer(configOf(cancel), 'loop.cancel', {
      project,
      name,
      number: turn ?? null,
    });
    process.stderr.write(canceled ? `Turn ${number} is canceled.\n` : `Turn ${number} had ended.\n`);
  });

  const undo = ofTurn(loop.command('undo <name>')).summary('return the traffic to the model before a promoted turn');
  undo.action(async (name: string, { project, turn, reason }: OfTurn) => {
    const { number, incumbent } = await askServer(configOf(undo), 'loop.undo', {
      project,
      name,
      number: turn ?? null,
      reason,
    });
    process.stderr.write(`Turn ${number} is undone: ${incumbent} has all traffic.\n`);
  });

  const pause = ofLoop(loop.command('pause <name>'))
    .summary('begin no further phases and turns')
    .option('--reason <text>', 'why', '')
    .action(async (name: string, { project, reason }: OfLoop & { reason: string }) => {
      await askServer(configOf(pause), 'loop.pause', { project, name, reason });
      process.stderr.write(`The loop ${name} is paused.\n`);
    });

  const resume = ofLoop(loop.command('resume <name>')).summary('let a paused loop go on');
  resume.action(async (name: string, { project }: OfLoop) => {
    await askServer(configOf(resume), 'loop.resume', { project, name });
    process.stderr.write(`The loop ${name} goes on.\n`);
  });

  const remove = ofLoop(loop.command('delete <name>')).summary('delete a loop with its turns');
  remove.action(async (name: string, { project }: OfLoop) => {
    await askServer(configOf(remove), 'loop.delete', { project, name });
    process.stderr.write(`Deleted the loop ${name}.\n`);
  });
}

const exitHelp = `
Exit status: 0: promoted; 3: rejected; 4: not enough evidence; 1: any other end; 2: invalid options.`;

function ofLoop(command: Command): Command {
  return addSettings(command, ['data']).requiredOption(
    '--project <name>',
    'project of the loop, such as my-project or entity/my-project',
  );
}

function ofTurn(command: Command): Command {
  return ofLoop(command)
    .option('--turn <number>', 'default: the latest one', toWhole)
    .option('--reason <text>', 'why', '');
}

/** Prints each phase and each wait as it begins, and sets the exit status. */
async function follow(config: Config, of: { project: string; name: string }): Promise<void> {
  let last = '';
  for (;;) {
    const turn = (await askServer(config, 'loop.read', of)).latest_turn;
    if (turn === null) throw invalidInput(`The loop ${of.name} has no turn yet.`);
    const line = lineOf(turn);
    if (line !== last) process.stdout.write(`${line}\n`);
    last = line;
    if (turn.phase === 'ended') {
      process.exitCode = exitCodes[turn.outcome!] ?? 1;
      return;
    }
    await wait(500);
  }
}

function lineOf(turn: Turn): string {
  const state = words(turn.outcome ?? turn.phase);
  const why = turn.question && turn.phase === 'asking' ? turn.question.text : turn.reason;
  return `Turn ${turn.number}: ${state}${why ? `. ${why}` : ''}${turn.phase === 'asking' ? ' (heddle loop yes, or no)' : ''}`;
}

function listed(loops: Loop[]): string {
  const rows = loops.map(({ name, plan, latest_turn: turn, paused_at: pausedAt }) => [
    name,
    plan.model,
    plan.rollout.policy,
    turn ? String(turn.number) : '-',
    pausedAt === null ? (turn ? words(turn.outcome ?? turn.phase) : 'not started') : 'paused',
  ]);
  return table(['LOOP', 'MODEL', 'POLICY', 'TURN', 'STATE'], rows);
}

function shown({ paused_at: pausedAt, paused_reason: reason, turns }: OperationAnswer<'loop.read'>): string {
  const rows = turns.map((turn) => [
    ...[String(turn.number), (turn.started_at ?? turn.starts_at).slice(0, 16).replace('T', ' ')],
    turn.collected ? String(turn.collected.kept) : '-',
    turn.candidate?.split('/').at(-1) ?? '-',
    turn.undone_at === null ? words(turn.outcome ?? turn.phase) : 'undone',
    turn.question && turn.phase === 'asking' ? turn.question.text : (turn.reason ?? ''),
  ]);
  const paused = pausedAt === null ? '' : `Paused${reason ? `: ${reason}` : ''}.\n\n`;
  const skipped = turns[0]?.collected?.skipped ?? [];
  const left =
    skipped.length === 0
      ? ''
      : `\nLeft out in turn ${turns[0]!.number}:\n${skipped.map(({ reason: why, count }) => `  ${count}  ${why}\n`).join('')}`;
  return `${paused}${table(['TURN', 'BEGAN (UTC)', 'KEPT', 'CANDIDATE', 'STATE', 'WHY'], rows)}${left}`;
}

const words = (name: string) => name.replaceAll('-', ' ');
