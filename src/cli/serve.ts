import type { Command } from 'commander';
import { standstillMsMax, watchMainThread } from '../util/watchdog.ts';
import { firstStartBanner, laterStartBanner } from './banner.ts';
import { addSettings, configOf, describe } from './setting-options.ts';

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .summary('start the server')
    .description('Starts the server. The first start makes the data directory and an owner, and shows the key once.');
  addSettings(command)
    .addHelpText(
      'after',
      `
From the environment alone:
  HEDDLE_API_KEY  ${describe('apiKey').replace(/ \[.*\]$/, '')}
                  A flag would show it in the list of processes.

Examples:
  $ heddle serve                                 # on http://127.0.0.1:7400, data in ./heddle-data
  $ heddle serve --port 7000 --data ~/heddle     # the same, elsewhere
  $ HEDDLE_HOST=0.0.0.0 heddle serve             # every flag is a variable too: for containers`,
    )
    .action(async () => {
      const config = configOf(command);
      process.stdout.on('error', () => {}); // the banner on a full disk, or for nobody
      const { serve, stopOnSignals } = await import('../main.ts'); // the engines load only here: --help stays quick
      const running = await serve(config);
      stopOnSignals(running);
      watchMainThread(
        `heddle: the main thread stood still for ${standstillMsMax / 1000} s. Ending, so that ` +
          'heddle can be started again; what was acknowledged is on the disk.',
      );
      process.stdout.write(running.apiKey ? firstStartBanner(running, config) : laterStartBanner(running.address));
    });
}
