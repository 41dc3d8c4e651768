import type { Command } from 'commander';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addUsers(program: Command): void {
  const users = program
    .command('users')
    .summary('make and list users')
    .description('Makes and lists users. A user reaches the projects of their entities alone.');

  const create = addSettings(users.command('create <name>').description('Makes a user.'), ['data'])
    .option('--entity <text>', "an entity to let the user into; default: a new one of the user's name")
    .addHelpText(
      'after',
      `
Example:
  $ heddle users create ben --entity team
  $ heddle keys create --user ben`,
    )
    .action(async (name: string, { entity }: { entity?: string }) => {
      const made = await ask(configOf(create), 'users.create', { name, entity });
      process.stderr.write(
        `${made.username} now belongs to ${made.entity}. A key for them: heddle keys create --user ${made.username}\n`,
      );
    });

  const list = addSettings(users.command('list').description('Lists the users and their entities.'), ['data']).action(
    async () => {
      const found = await ask(configOf(list), 'users.list', {});
      const rows = found.map((user) => [user.username, user.isOwner ? 'all (owner)' : user.entities.join(', ')]);
      process.stdout.write(table(['USER', 'ENTITIES'], rows));
    },
  );
}
