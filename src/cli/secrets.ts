import type { Command } from 'commander';
import { ask } from './ask.ts';
import { readHidden } from './read-hidden.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

type Owner = { entity?: string; project?: string };

export function addSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .summary('set, list and remove API keys of model providers')
    .description(
      'Sets, lists and removes the API keys of model providers. They are stored encrypted and cannot be shown again. ' +
        'Works with or without a running server.',
    );

  const set = withOwner(
    secrets.command('set <name>').description('Sets a secret. Its value is read from standard input.'),
  )
    .option(
      '--host <host...>',
      'hosts the secret may be sent to; default: the hosts of the provider with this secret, otherwise any host',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ heddle secrets set OPENAI_API_KEY
  $ heddle secrets set MY_KEY --project team/demo --host llm.example.com < key.txt`,
    )
    .action(async (name: string, { host, ...owner }: Owner & { host?: string[] }) => {
      const value = await readHidden(`Value of ${name}: `);
      const done = await ask(configOf(set), 'secrets.set', { ...owner, name, value, hosts: host });
      const hosts = done.hosts.length > 0 ? done.hosts.join(', ') : 'any provider';
      process.stderr.write(`Set ${name} for ${done.owner}. It can be sent to ${hosts}. It is not shown again.\n`);
    });

  const list = addSettings(
    secrets.command('list').description('Lists the names of all secrets, without their values.'),
    ['data'],
  ).action(async () => {
    const found = await ask(configOf(list), 'secrets.list', {});
    const rows = found.map(({ name, owner, hosts, updatedAt }) => [
      name,
      owner,
      hosts.join(', ') || 'any',
      updatedAt.slice(0, 10),
    ]);
    process.stdout.write(table(['NAME', 'FOR', 'HOSTS', 'SET'], rows));
  });

  const remove = withOwner(secrets.command('remove <name>').description('Removes a secret.')).action(
    async (name: string, owner: Owner) => {
      const removed = await ask(configOf(remove), 'secrets.remove', { ...owner, name });
      process.stderr.write(`Removed ${name} of ${removed.owner}.\n`);
    },
  );
}

function withOwner(command: Command): Command {
  return addSettings(command, ['data'])
    .option('--entity <text>', "entity whose projects use the secret; default: the owner's")
    .option('--project <name>', 'the only project that uses the secret, such as my-project or entity/my-project');
}
