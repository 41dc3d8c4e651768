import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { askServer } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { topLines } from './show-top.ts';

const everyMs = 1000;

export function addTop(program: Command): void {
  const top = program
    .command('top')
    .summary('show what the server is doing')
    .description(
      'Shows requests, models, queries, stores and jobs of the running server, each second. If the output is not a terminal, ' +
        'it shows one second and ends.',
    );
  addSettings(top, ['data']).action(() => showTop(configOf(top)));
}

async function showTop(config: Config): Promise<void> {
  const { stdout } = process;
  let shownLines = 0;
  let before = await askServer(config, 'top', {});
  do {
    await setTimeout(everyMs);
    const now = await askServer(config, 'top', {});
    const lines = topLines(before, now).slice(0, Math.max(1, (stdout.isTTY ? stdout.rows || 24 : 1_000) - 1));
    if (shownLines > 0) stdout.write(`\x1b[${shownLines}A\x1b[J`); // draw over what is shown
    stdout.write(`${lines.join('\n')}\n`);
    shownLines = lines.length;
    before = now;
  } while (stdout.isTTY);
}
