import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { showMove } from './move-progress.ts';
import { addSettings, configOf } from './setting-options.ts';

type Options = { from?: string; to?: string; cancel?: boolean };

export function addMove(program: Command): void {
  const command = addSettings(
    program
      .command('move')
      .summary('copy the stores to servers, or back into the data directory')
      .description(
        'Copies the stores of a stopped heddle to other places: traces, records and files. It verifies what it copies, and leaves ' +
          'the source as it is. An interrupted move goes on when you run the command again.',
      )
      .option('--from <place>', 'where the stores are: embedded, env, or a file with variables')
      .option('--to <place>', 'where to copy them')
      .option('--cancel', 'give up a move that was interrupted; heddle starts again with the source'),
    ['data'],
  )
    .addHelpText('after', help)
    .action(async ({ from, to, cancel }: Options) => {
      const config = configOf(command);
      if (cancel) return cancelMove(config.data);
      if (!from || !to) throw new ConfigError('`heddle move` needs --from and --to. Run it with --help for examples.');
      const { move } = await import('../open/move/move.ts'); // the engines load only here
      const { sideOf } = await import('../open/move/sides.ts');
      const sides = { from: sideOf(from, config.data, process.env), to: sideOf(to, config.data, process.env) };
      const progress = showMove(process.stderr);
      const report = await move({ config, ...sides, onProgress: progress.show }).finally(progress.end);
      process.stdout.write(describe(report, { from, to, data: config.data }));
    });
}

async function cancelMove(data: string): Promise<void> {
  const { cancelMove: cancel } = await import('../open/move/cancel.ts');
  const places = cancel(data);
  process.stdout.write(`The move is given up. Empty its target before you move there again: ${places.join(', ')}.\n`);
}

type Report = { parts: { name: string; from: string; to: string; rows: number }[]; isNewDirectory: boolean };

function describe({ parts, isNewDirectory }: Report, { to, data }: { from: string; to: string; data: string }): string {
  const what = ({ name, rows }: Report['parts'][number]) =>
    `${rows.toLocaleString('en-US')} ${name === 'Files' ? 'files' : 'rows'}`;
  return [
    ...parts.map((part) => `Moved ${part.name} from ${part.from} to ${part.to}: ${what(part)}, verified.`),
    '',
    `Start heddle with ${settingsOf(to)}.`,
    'The source is unchanged. Once heddle works with the copy, you can remove it:',
    ...parts.map(({ from }) => `  ${from}`),
    ...(isNewDirectory
      ? [
          '',
          `${data} is new. Copy secret.key and models/ from the old data directory, unless HEDDLE_SECRET_KEY is set.`,
        ]
      : []),
    '',
  ].join('\n');
}

function settingsOf(place: string): string {
  if (place === 'embedded') return 'no addresses of stores in its environment';
  return place === 'env' ? 'the same variables' : `the variables of ${place}`;
}

const help = `
Places:
  embedded  the data directory
  env       what HEDDLE_CLICKHOUSE_URL, HEDDLE_POSTGRES_URL and HEDDLE_BLOBS_URL name, and the data directory for the others
  FILE      the same for a file with such variables, one NAME=value a line; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
            in it are the credentials of its bucket

Stores whose places are the same on both sides stay where they are. The target must be empty.
The data directory stays in use; secret.key and models/ do not move.

Examples:
  $ heddle move --from embedded --to env
  $ heddle move --from env --to embedded
  $ heddle move --from old.env --to new.env`;
