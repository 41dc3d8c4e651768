import { Argument, type Command } from 'commander';
import { askRunning } from '../admin/client.ts';
import type { Config } from '../config.ts';
import { ask } from './ask.ts';
import { type Client, clientEnvironment, clients, shellLines } from './client-environment.ts';
import { addSettings, configOf } from './setting-options.ts';

const placeholder = 'YOUR_KEY';

export function addEnv(program: Command): void {
  const env = program
    .command('env')
    .summary('print the variables that point a client at this server')
    .description('Prints the environment variables that point an unmodified client at this server, to copy or to eval.')
    .addArgument(new Argument('<client>', 'client to configure').choices(clients))
    .option('--key <key>', 'API key to use; default: HEDDLE_API_KEY, or else a placeholder')
    .option('--new-key', 'create a new API key')
    .option('--project <entity/project>', 'project to use, if the client needs one');
  addSettings(env, ['data', 'host', 'port', 'publicUrl'])
    .addHelpText(
      'after',
      `
Examples:
  $ heddle env python
  $ eval "$(heddle env js --new-key)"
  $ heddle env otel --project ada/shop --key $WANDB_API_KEY`,
    )
    .action(async (client: Client, options: { key?: string; newKey?: boolean; project?: string }) => {
      const config = configOf(env);
      const { url, entity } = await whereIs(config);
      const project = options.project ?? `${entity}/my-project`;
      const key = options.newKey
        ? (await ask(config, 'keys.create', { name: `heddle env ${client}` })).key
        : (options.key ?? (config.apiKey || placeholder));
      const environment = clientEnvironment(client, { url, key, project });
      if (key === placeholder) {
        environment.notes.push(
          `Replace ${placeholder} with your API key, or create one: heddle env ${client} --new-key`,
        );
      }
      process.stdout.write(shellLines(environment));
    });
}

/** The running server knows its address and its owner; without one the settings say where it will be. */
async function whereIs(config: Config): Promise<{ url: string; entity: string }> {
  const answer = (await askRunning(config, 'env', {}))?.answer;
  const host = config.host.replace(/^(0\.0\.0\.0|::)$/, 'localhost');
  const configured = config.publicUrl || `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`;
  const isSaid = config.sources.publicUrl !== undefined;
  const url = (isSaid ? config.publicUrl : (answer?.address ?? configured)).replace(/\/+$/, '');
  return { url, entity: answer?.entity ?? 'YOUR_ENTITY' };
}
