import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { readText } from '../src/domain/overlap/read-text.ts';
import { type Row, RowIndex } from '../src/domain/overlap/row-index.ts';

/**
 * How many leaks of a suite in training data are found, by kind, how many innocent rows are flagged, and what that costs.
 * `bench/leaks.py` makes both from text that nobody wrote for this. `--seed N`: others.
 */
const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });

type Line = { suite?: Row; training?: Trained };
type Trained = { messages: string[]; kind: string; leaks: string | null };

const made = spawnSync('python3', [new URL('leaks.py', import.meta.url).pathname, values.seed], {
  encoding: 'utf8',
  maxBuffer: 2 ** 30,
});
if (made.status !== 0) throw new Error(made.stderr);
const lines = made.stdout
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Line);
const suite = lines.flatMap(({ suite: row }) => row ?? []);
const training = lines.flatMap(({ training: row }) => row ?? []);

const startedAt = performance.now();
const index = new RowIndex(suite);
const indexedAt = performance.now();
const found = training.map((row) => index.matches(row.messages.map(readText)));
const endedAt = performance.now();

const wanted: Record<string, string> = {
  exact: '99 %',
  restyled: '99 %',
  edited: '95 %',
  inside: '95 %',
  turns: '100 %',
  short: '99 %',
};
print('kind', 'rows', 'found', 'wanted');
for (const [kind, least] of Object.entries(wanted)) {
  const rows = training.flatMap((row, at) => (row.kind === kind ? [{ row, matches: found[at]! }] : []));
  const right = rows.filter(({ row, matches }) => matches.some(({ id }) => id === row.leaks)).length;
  print(kind, String(rows.length), percent(right / rows.length), least);
}
const innocent = training.flatMap((row, at) => (row.kind === 'innocent' ? [found[at]!] : []));
const flagged = innocent.filter((matches) => matches.length > 0).length;
print('innocent', String(innocent.length), percent(flagged / innocent.length), 'at most 0.5 %');
print('index', String(suite.length), `${ms((indexedAt - startedAt) / suite.length)} a row`, '');
print('search', String(training.length), `${ms((endedAt - indexedAt) / training.length)} a row`, '1 ms a row');

function print(...cells: string[]): void {
  process.stdout.write(`${cells.map((cell, at) => cell.padEnd(at === 0 ? 10 : 16)).join('')}\n`);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
