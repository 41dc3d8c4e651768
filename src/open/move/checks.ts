import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config.ts';
import { type DataDirectory, DataDirectoryError } from '../../store/data-directory.ts';
import { isUnfinishedCopy, unfinishedCopyOf } from '../../store/deployment-id.ts';
import { Failure } from '../../util/failures.ts';
import { isUsed, type Kinds, partNames, settingOf } from '../kinds.ts';
import { placeOf } from '../places.ts';
import { remembered } from '../remembered-kinds.ts';
import { isOwn, type OpenedSide, type Part } from './parts.ts';
import type { Side } from './sides.ts';
import type { MoveState } from './state.ts';

/** @throws DataDirectoryError if the source has parts in a data directory that does not exist; it would be created */
export function checkDirectory(path: string, from: Side): void {
  if (!partNames.some((part) => isOwn(from.kinds[part])) || existsSync(join(path, 'heddle.json'))) return;
  throw new DataDirectoryError(
    'unusable',
    `${path} does not contain heddle data. Give the data directory of the deployment with --data or HEDDLE_DATA.`,
  );
}

type Places = { from: Side; to: Side; parts: Part[]; directory: DataDirectory };

/**
 * Compares the places of a new move with what the data directory was used with.
 * @throws ConfigError, Failure
 */
export function checkPlaces({ from, to, parts, directory }: Places): void {
  if (parts.length === 0) {
    throw new ConfigError(`--from ${from.word} and --to ${to.word} name the same places: there is nothing to move.`);
  }
  for (const part of partNames) checkSource(from, part, directory);
  for (const { part, isToDirectory } of parts) {
    if (!isToDirectory || !isUsed(part, directory)) continue;
    throw new Failure(
      'conflict',
      `${directory[part]} is not empty. If it is what an earlier move left there, remove it; otherwise choose a new data directory ` +
        'with --data or HEDDLE_DATA.',
    );
  }
}

/** A data directory that is not known may be used if it has no part of the deployment. */
function checkSource({ word, kinds }: Side, part: keyof Kinds, directory: DataDirectory): void {
  const [before, kind] = [remembered(directory.path), kinds[part]];
  if (before.deployment === undefined && isOwn(kind)) {
    throw new ConfigError(
      `${directory.path} has not been used with this version of heddle. Start heddle on it once with the settings of ` +
        `--from ${word}, stop it, and move it then.`,
    );
  }
  if (before[part] !== undefined && before[part] !== kind.kind) {
    const found = isOwn(kind) ? `with ${settingOf[part]}, which it does not set` : `without ${settingOf[part]}`;
    throw new ConfigError(
      `--from ${word} is not where this deployment is: ${directory.path} was used ${found}. Name the places of the last start: ` +
        'embedded, env, or a file with the variables.',
    );
  }
  const moved = before.moved?.[part]?.find(({ from }) => from === placeOf(kind));
  if (moved) {
    throw new ConfigError(`${moved.from} was moved to ${moved.to} before, and is out of date. Name that in --from.`);
  }
}

/** @throws ConfigError if a move that was interrupted had other places */
export function checkBegun(begun: MoveState, parts: Part[]): void {
  const isSame =
    parts.length === Object.keys(begun.parts).length &&
    parts.every(({ part, from, to }) => begun.parts[part]?.from === from && begun.parts[part].to === to);
  if (isSame) return;
  const places = Object.values(begun.parts).map(({ from, to }) => `${from} to ${to}`);
  throw new ConfigError(
    `A move from other places was interrupted: ${places.join(', ')}. Finish it with \`heddle move --from ${begun.from} --to ${begun.to}\` ` +
      'and the same variables, or give it up with `heddle move --cancel`.',
  );
}

/** The id that the sources and the data directory have. @throws ConfigError if they differ, Failure if one has none */
export async function deploymentOf(directory: DataDirectory, sources: Map<Part, OpenedSide>): Promise<string> {
  const own = remembered(directory.path).deployment ?? null;
  const known = own === null ? [] : [{ name: `the data directory ${directory.path}`, id: own }];
  for (const [{ from }, { ids }] of sources) {
    if (ids === null) continue;
    const id = await ids.read();
    if (id === null) throw new Failure('notFound', `${from} has no deployment that could be moved. Check --from.`);
    if (isUnfinishedCopy(id)) throw new Failure('conflict', `${from} has only a part of a deployment: ${id}.`);
    known.push({ name: from, id });
  }
  if (new Set(known.map(({ id }) => id)).size > 1) {
    const names = known.map(({ name, id }) => `${name} (${id.slice(0, 8)})`);
    throw new ConfigError(`These parts belong to different deployments: ${names.join(', ')}. Name the parts of one.`);
  }
  return known[0]!.id;
}

const newPlaces = {
  clickhouse: 'a new database',
  postgres: 'a new schema (?schema=…)',
  blobs: 'another bucket or prefix',
};

/** @param begun the id of the deployment whose move was interrupted @throws Failure if the target has other data */
export async function checkTarget({ part, to }: Part, target: OpenedSide, begun: string | null): Promise<void> {
  const id = (await target.ids?.read()) ?? null;
  if (begun !== null && (id === unfinishedCopyOf(begun) || id === begun)) return;
  if (id === null && !(await target.hasRows())) return;
  const found = id === null ? 'it has data' : isUnfinishedCopy(id) ? `it has an ${id}` : `it has the deployment ${id}`;
  throw new Failure('conflict', `${to} is not empty: ${found}. Empty it, or name ${newPlaces[part]}.`);
}
