import type { Command } from 'commander';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .summary('create, list and revoke API keys')
    .description('Creates, lists and revokes API keys. Works with or without a running server.');

  const create = addSettings(
    keys.command('create').description('Creates a key and prints it. It cannot be shown again.'),
    ['data'],
  )
    .option('--name <text>', 'name to recognize the key by', 'key')
    .option('--user <text>', 'owner of the key; default: the owner of this server')
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
      process.stderr.write(`Created key "${made.name}" for ${made.user}. It is not shown again.\n`);
    });

  const list = addSettings(keys.command('list').description('Lists all keys with their last four characters.'), [
    'data',
  ]).action(async () => {
    const found = await ask(configOf(list), 'keys.list', {});
    const rows = found.map((key) => [
      `…${key.ending}`,
      key.user,
      key.name,
      key.createdAt.slice(0, 10),
      key.revokedAt === null ? 'active' : `revoked ${key.revokedAt.slice(0, 10)}`,
      key.id,
    ]);
    process.stdout.write(table(['KEY', 'USER', 'NAME', 'CREATED', 'STATUS', 'ID'], rows));
  });

  const revoke = addSettings(
    keys.command('revoke <key>').description('Revokes a key. Requests with it are rejected from now on.'),
    ['data'],
  )
    .addHelpText(
      'after',
      `
Give the last four characters of the key or its id; both are listed by \`heddle keys list\`.

Example:
  $ heddle keys revoke x7Qp`,
    )
    .action(async (which: string) => {
      const revoked = await ask(configOf(revoke), 'keys.revoke', { which });
      process.stderr.write(`Revoked key "${revoked.name}" of ${revoked.user} (…${revoked.ending}).\n`);
    });
}
