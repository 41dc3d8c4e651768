import type { Command } from 'commander';
import { linkMinutes } from '../identity/sign-in-links.ts';
import { askServer } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';

export function addSignIn(program: Command): void {
  const command = addSettings(
    program
      .command('sign-in')
      .summary('print a link that signs in to the web page')
      .description(
        `Prints a link that opens the web page and signs in, once and within ${linkMinutes} minutes. The server must be running.`,
      ),
    ['data'],
  )
    .option('--user <text>', 'user to sign in; default: the owner of this server')
    .action(async ({ user }: { user?: string }) => {
      const { link } = await askServer(configOf(command), 'signIn.link', { user });
      process.stdout.write(`${link}\n`);
    });
}
