import type { Command } from 'commander';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addUsers(program: Command): void {
  const users = program
    .command('users')
    .summary('create and list users')
    .description('Creates and lists users. A user can access only the projects of their entities.');

  const create = addSettings(users.command('create <name>').description('Creates a user.'), ['data'])
    .option('--entity <text>', "entity to add the user to; default: a new one with the user's name")
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
        `Added ${made.username} to ${made.entity}. To create an API key for them: heddle keys create --user ${made.username}\n`,
      );
    });

  const list = addSettings(users.command('list').description('Lists users and their entities.'), ['data']).action(
    async () => {
      const found = await ask(configOf(list), 'users.list', {});
      const rows = found.map((user) => [user.username, user.isOwner ? 'all (owner)' : user.entities.join(', ')]);
      process.stdout.write(table(['USER', 'ENTITIES'], rows));
    },
  );
}
