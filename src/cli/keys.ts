import type { Command } from 'commander';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .summary('make, list and revoke API keys')
    .description('Makes, lists and revokes API keys, beside a running server or without one.');

  const create = addSettings(
    keys.command('create').description('Makes a key and prints it: the only time it can be read.'),
    ['data'],
  )
    .option('--name <text>', 'what the key is for, to recognise it by', 'key')
    .option('--user <text>', 'whose key it is; default: the owner')
    .addHelpText(
      'after',
      `
Examples:
  $ heddle keys create --name laptop
  $ export WANDB_API_KEY=$(heddle keys create --name notebook)`,
    )
    .action(async ({ name, user }: { name: string; user?: string }) => {
      const made = await ask(configOf(create), 'keys.create', { name, user });
      process.stdout.write(`${made.key}\n`);
      process.stderr.write(`Key "${made.name}" of ${made.user}. It is shown this once.\n`);
    });

  const list = addSettings(keys.command('list').description('Lists the keys, by their last four characters.'), [
    'data',
  ]).action(async () => {
    const found = await ask(configOf(list), 'keys.list', {});
    const rows = found.map((key) => [
      `…${key.ending}`,
      key.user,
      key.name,
      key.createdAt.slice(0, 10),
      key.revokedAt === null ? 'in force' : `revoked ${key.revokedAt.slice(0, 10)}`,
      key.id,
    ]);
    process.stdout.write(table(['KEY', 'USER', 'NAME', 'MADE', 'STATE', 'ID'], rows));
  });

  const revoke = addSettings(keys.command('revoke <key>').description('Refuses a key from now on.'), ['data'])
    .addHelpText(
      'after',
      `
A key is named by its last four characters or by its id; both are in \`heddle keys list\`.

Example:
  $ heddle keys revoke x7Qp`,
    )
    .action(async (which: string) => {
      const revoked = await ask(configOf(revoke), 'keys.revoke', { which });
      process.stderr.write(`Key "${revoked.name}" of ${revoked.user} (…${revoked.ending}) is refused from now on.\n`);
    });
}
