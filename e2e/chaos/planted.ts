import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

type Edit = { file: string; from: string; to: string };

const commit = 'store/clickhouse/calls/write/shared/commit-shared.ts';

/** Points at which a process stops by chance, for a while or for ever. */
const points: Edit[] = [
  {
    file: commit,
    from: '    const changes = made.map(({ change }) => change).filter',
    to: '    await point(); // after the parts, before the row\n    const changes = made.map(({ change }) => change).filter',
  },
  {
    file: commit,
    from: '    const outcomes = outcomesOf(made);',
    to: '    await point(); // after the row, before the answer\n    const outcomes = outcomesOf(made);',
  },
  { file: commit, from: 'type Own = {', to: `${pointSource()}\ntype Own = {` },
];

/** Mistakes that a run must find. */
export const planted: Record<string, Edit> = {
  'versions from clocks': {
    file: commit,
    from: '  const version = versionOf(lines);',
    to: '  const version = Date.now() * 1000;',
  },
  'no look after the write': {
    file: commit,
    from: 'viewOf(own, found.get(own.key) ?? [], lost)',
    to: 'viewOf(own, [], lost)',
  },
};

/** A copy of this heddle that stops at the points, with a mistake if one is named. @returns its folder */
export function copyWithPoints(mistake: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-chaos-'));
  for (const name of readdirSync(root)) {
    if (name !== 'src' && name !== '.git') symlinkSync(join(root, name), join(folder, name));
  }
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  for (const edit of [...(mistake === null ? [] : [planted[mistake]!]), ...points]) change(folder, edit);
  return folder;
}

function change(folder: string, { file, from, to }: Edit): void {
  const path = join(folder, 'src', file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} has not exactly one ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

function pointSource(): string {
  return `async function point(): Promise<void> {
  const chance = Math.random();
  if (chance < 0.0005) process.kill(process.pid, 'SIGKILL');
  if (chance < 0.002) await setTimeout(15_000 * Math.random());
  else if (chance < 0.05) await setTimeout(500 * Math.random());
}
`;
}
