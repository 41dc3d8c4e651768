import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variables } from './points.ts';

const root = join(import.meta.dirname, '../..');

type Edit = { file: string; from: string; to: string };

/** What a run consists of: writing under disruptions, and cases that are arranged. */
export type Part = 'revocation' | 'late call' | 'takeover' | 'writing';

const commit = 'store/clickhouse/calls/write/shared/commit-shared.ts';
const jobEvents = 'finetuning/job-events.ts';
const pointsFile = join(import.meta.dirname, 'points.ts');

/** Points at which a process stops by chance, for a while or for ever. */
const points: Edit[] = [
  {
    file: commit,
    from: '    const changes = made.map(({ change }) => change).filter',
    to: '    await pointOfCalls(); // after the parts, before the row\n    const changes = made.map(({ change }) => change).filter',
  },
  {
    file: commit,
    from: '    const outcomes = outcomesOf(made);',
    to: '    await pointOfCalls(); // after the row, before the answer\n    const outcomes = outcomesOf(made);',
  },
  { file: commit, from: 'type Own = {', to: `import { pointOfCalls } from '${pointsFile}';\ntype Own = {` },
  {
    file: jobEvents,
    from: '      const isAdded = await appendEvent(',
    to: '      pointOfJobs();\n      const isAdded = await appendEvent(',
  },
  {
    file: jobEvents,
    from: '  const stored = await countEvents(postgres, jobId);',
    to: '  const stored = await countEvents(postgres, jobId);\n  noteJob();',
  },
  {
    file: jobEvents,
    from: 'export type EventCounts =',
    to: `import { noteJob, pointOfJobs } from '${pointsFile}';\nexport type EventCounts =`,
  },
];

/** Mistakes that a run must find, and the part of a run that finds each. */
export const planted: Record<string, Edit & { foundBy: Part }> = {
  /** The clocks of the processes are a second apart. */
  'versions from clocks': {
    foundBy: 'writing',
    file: commit,
    from: '  const version = versionOf(lines);',
    to: `  const version = (Date.now() + 1000 * (Number(process.env.${variables.chance}) % 3)) * 1000;`,
  },
  'no look after the write': {
    foundBy: 'writing',
    file: commit,
    from: 'viewOf(own, found.get(own.key) ?? [], lost)',
    to: 'viewOf(own, [], lost)',
  },
  /** Monitors pass over numbers that are still on their way. */
  'a cursor without the low-water mark': {
    foundBy: 'late call',
    file: 'jobs/monitor-watcher.ts',
    from: '(await numbers.settled()) + 1',
    to: 'Number.MAX_SAFE_INTEGER',
  },
  /** A process answers from memory though a revocation may have been answered meanwhile. */
  'a cache without a lease': {
    foundBy: 'revocation',
    file: 'store/peers/kept.ts',
    from: 'return peers.isUpToDate() ? values.get(key) : undefined;',
    to: 'return values.get(key);',
  },
  /** A process goes on to write about a job that another one has taken. */
  'a takeover without an attempt': {
    foundBy: 'takeover',
    file: 'jobs/leases/held-jobs.ts',
    from: '        if (performance.now() < lease.heldUntil && (await isNewest(given, attempt))) return;',
    to: '        if (given !== null) return;',
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
