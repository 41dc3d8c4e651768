import type { Command } from 'commander';
import { environmentName, secretSettings } from '../config.ts';
import { reapOrphans } from '../util/reap-orphans.ts';
import { releaseMemoryWhenIdle } from '../util/release-memory.ts';
import { standstillMsMax, watchMainThread } from '../util/watchdog.ts';
import { firstStartBanner, laterStartBanner } from './banner.ts';
import { addSettings, configOf, describe } from './setting-options.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .summary('start the server')
    .description(
      'Starts the server. The first start creates the data directory and an owner, and prints the API key once.',
    );
  addSettings(command)
    .addHelpText(
      'after',
      `
Environment variables only, since a flag would be visible in the process list:
${secrets()}

Examples:
  $ heddle serve                                 # on http://127.0.0.1:7400, data in ./heddle-data
  $ heddle serve --port 7000 --data ~/heddle     # the same, elsewhere
  $ HEDDLE_HOST=0.0.0.0 heddle serve             # every flag is also a variable, e.g. for containers`,
    )
    .action(async () => {
      const config = configOf(command);
      const stopInOrder = stopOnSignals();
      const { serve } = await import('../main.ts'); // the engines load only here: --help stays quick
      const running = await serve(config);
      stopInOrder(running);
      watchMainThread(
        `heddle: the main thread did not respond for ${standstillMsMax / 1000} s. Exiting so that heddle can be ` +
          'restarted; acknowledged writes are on disk.',
      );
      releaseMemoryWhenIdle();
      reapOrphans();
      process.stdout.write(running.apiKey ? firstStartBanner(running, config) : laterStartBanner(running));
    });
}

function secrets(): string {
  return [...secretSettings]
    .map((name) => `  ${environmentName(name).padEnd(28)}${describe(name).replace(/ \[.*\]$/, '')}`)
    .join('\n');
}
