import type { Config } from '../../config.ts';
import { openLog } from '../../log.ts';
import { type CopyWatch, newCopy } from '../../store/copies.ts';
import { type DataDirectory, openDataDirectory } from '../../store/data-directory.ts';
import { unfinishedCopyOf } from '../../store/deployment-id.ts';
import { openDisk } from '../../store/disk/disk.ts';
import { Opened } from '../opened.ts';
import { remember, remembered } from '../remembered-kinds.ts';
import { loadEmbeddedClickHouse, openPostgres } from '../stores.ts';
import { checkBegun, checkDirectory, checkPlaces, checkTarget, deploymentOf } from './checks.ts';
import type { Surroundings } from './movers.ts';
import { type OpenedSide, type Part, partsToMove } from './parts.ts';
import type { Side } from './sides.ts';
import { type MoveState, readMove, removeMove, rowsOf, saveMove } from './state.ts';

type MoveProgress = {
  /** What is copied: a part and its table. */
  part: string;
  table: string;
  /** Of the part, with what an interrupted move has copied before. */
  rows: number;
  rowsTotal: number;
  /** Of the part, copied by this process. */
  bytes: number;
};

export type MoveReport = {
  parts: { name: string; from: string; to: string; rows: number }[];
  /** Whether the data directory was not used before: then it lacks the files that do not move. */
  isNewDirectory: boolean;
};

export type MoveOptions = { config: Config; from: Side; to: Side; onProgress(progress: MoveProgress): void };

/**
 * Copies the parts of a deployment whose places differ, verifies them, and lets the data directory remember the new places.
 * The sources stay as they are. A move that was interrupted goes on where it was.
 * @throws ConfigError, Failure, CopyMismatchError and errors of stores, with what to do
 */
export async function move(options: MoveOptions): Promise<MoveReport> {
  const opened = new Opened();
  try {
    return await moveParts(options, opened);
  } finally {
    await opened.close();
  }
}

async function moveParts({ config, from, to, onProgress }: MoveOptions, opened: Opened): Promise<MoveReport> {
  const parts = partsToMove(from, to);
  checkDirectory(config.data, from);
  const directory = opened.add(openDataDirectory(config.data));
  const isNewDirectory = remembered(directory.path).deployment === undefined;
  const begun = readMove(directory.path);
  if (begun === null) checkPlaces({ from, to, parts, directory });
  else checkBegun(begun, parts);

  const surroundings = surroundingsOf(config, directory, opened);
  await loadEmbeddedClickHouse(from.kinds, to.kinds);
  await holdSchema(from, parts, surroundings);
  const sources = await openAll(parts, (part) => part.openSource(surroundings));
  const deployment = await deploymentOf(directory, sources);
  // Nothing is written before the checks of all targets, except for an empty schema.
  const [toDirectory, toServers] = [
    parts.filter((part) => part.isToDirectory),
    parts.filter((part) => !part.isToDirectory),
  ];
  const targets = await openAll(toServers, async (part) => {
    const target = await part.openTarget(surroundings);
    await checkTarget(part, target, begun && deployment);
    return target;
  });
  const state = begun ?? newState({ from, to, parts, deployment });
  saveMove(directory.path, state);
  for (const [part, target] of await openAll(toDirectory, (part) => part.openTarget(surroundings))) {
    targets.set(part, target);
  }
  for (const part of parts) {
    const [source, target] = [sources.get(part)!, targets.get(part)!];
    await markUnfinished(target, deployment);
    await source.prepare();
    await source.rest();
    await target.prepare();
    await copyPart({ part, source, state, directory, surroundings, onProgress });
  }
  for (const target of targets.values()) await target.ids?.write(deployment);
  remember(directory, to.kinds, { deployment, moved: movedPlaces(directory, parts) });
  removeMove(directory.path); // last: until then, the same command finishes the move
  return { parts: parts.map((part) => ({ ...part, rows: rowsOf(state, part.part) })), isNewDirectory };
}

function surroundingsOf(config: Config, directory: DataDirectory, opened: Opened): Surroundings {
  const { diskReserveBytes: reserveBytes, sources } = config;
  const disk = opened.add(
    openDisk(directory.path, { reserveBytes, isDefault: sources.diskReserveBytes === undefined }),
  );
  return { log: openLog({ ...config, logLevel: 'warn' }), disk, opened };
}

/** Keeps servers away that use other data directories, also if PostgreSQL itself does not move. */
async function holdSchema({ kinds }: Side, parts: Part[], { log, disk, opened }: Surroundings): Promise<void> {
  if (kinds.postgres.kind === 'embedded' || parts.some(({ part }) => part === 'postgres')) return;
  const { store } = await openPostgres(kinds.postgres, { log, disk });
  opened.add(store);
}

async function openAll(parts: Part[], open: (part: Part) => Promise<OpenedSide>): Promise<Map<Part, OpenedSide>> {
  const opened = new Map<Part, OpenedSide>();
  for (const part of parts) opened.set(part, await open(part));
  return opened;
}

function newState({
  from,
  to,
  parts,
  deployment,
}: {
  from: Side;
  to: Side;
  parts: Part[];
  deployment: string;
}): MoveState {
  const places = parts.map((part) => [part.part, { from: part.from, to: part.to, copy: newCopy }] as const);
  return { from: from.word, to: to.word, deployment, parts: Object.fromEntries(places) };
}

async function markUnfinished({ ids }: OpenedSide, deployment: string): Promise<void> {
  const mark = unfinishedCopyOf(deployment);
  if (ids !== null && (await ids.read()) !== mark) await ids.write(mark);
}

type PartCopy = Pick<MoveOptions, 'onProgress'> & {
  part: Part;
  source: OpenedSide;
  state: MoveState;
  directory: DataDirectory;
  surroundings: Surroundings;
};

async function copyPart({ part, source, state, directory, surroundings, onProgress }: PartCopy): Promise<void> {
  const own = state.parts[part.part]!;
  const progress = { part: part.name, table: '', rows: rowsOf(state, part.part), rowsTotal: 0, bytes: 0 };
  progress.rowsTotal = sum(Object.values(await source.count()));
  const watch: CopyWatch = {
    save(copy) {
      own.copy = copy;
      saveMove(directory.path, state);
    },
    copied(table, rows, bytes) {
      Object.assign(progress, { table, rows: progress.rows + rows, bytes: progress.bytes + bytes });
      onProgress({ ...progress });
    },
    requireRoom(bytes) {
      if (part.isToDirectory) surroundings.disk.requireRoom(bytes);
    },
  };
  await part.copy(own.copy, watch);
}

function movedPlaces(directory: DataDirectory, parts: Part[]) {
  const { moved = {} } = remembered(directory.path);
  for (const { part, from, to } of parts) {
    const before = (moved[part] ?? []).filter((each) => each.from !== from && each.from !== to);
    moved[part] = [...before, { from, to }];
  }
  return moved;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
