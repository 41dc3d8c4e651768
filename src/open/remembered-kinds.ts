import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Config, ConfigError } from '../config.ts';
import { type DataDirectory, kindsName } from '../store/data-directory.ts';
import { isUsed, type Kinds, namedKinds, partNames, settingOf } from './kinds.ts';
import { refuseUnfinishedMove } from './move/state.ts';
import { placeOf } from './places.ts';

/**
 * Where the parts of a deployment are, according to its settings.
 * @throws ConfigError for parts that are elsewhere than at the last start, or that were moved
 */
export function kindsOf(config: Config, directory: DataDirectory): Kinds {
  refuseUnfinishedMove(directory.path);
  const kinds = namedKinds(config, directory);
  const before = remembered(directory.path);
  for (const part of partNames) checkAsBefore(kinds, part, before, directory);
  return kinds;
}

/** What a data directory knows of the parts that it was used with. */
export type Remembered = Partial<Record<keyof Kinds | 'deployment', string>> & {
  /** The places that parts were moved from. */
  moved?: Partial<Record<keyof Kinds, Moved[]>>;
};

type Moved = { from: string; to: string };

/** Lets the next start notice a setting that is missing or outdated: it would show a deployment without its data. */
export function remember(
  { path }: DataDirectory,
  { clickhouse, postgres, blobs }: Kinds,
  { deployment, moved }: { deployment: string; moved?: Remembered['moved'] },
): void {
  const before = remembered(path);
  const now: Remembered = {
    ...{ clickhouse: clickhouse.kind, postgres: postgres.kind, blobs: blobs.kind, deployment },
    ...((moved ?? before.moved) ? { moved: moved ?? before.moved } : {}),
  };
  if (isDeepStrictEqual(now, before)) return;
  const file = join(path, kindsName);
  writeFileSync(`${file}.part`, JSON.stringify(now), { mode: 0o600, flush: true });
  renameSync(`${file}.part`, file);
}

export function remembered(path: string): Remembered {
  const file = join(path, kindsName);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function checkAsBefore(kinds: Kinds, part: keyof Kinds, before: Remembered, directory: DataDirectory): void {
  const { kind } = kinds[part];
  const moved = before.moved?.[part]?.find(({ from }) => from === placeOf(kinds[part]));
  if (moved) {
    const advice = moved.to === directory[part] ? `Remove ${settingOf[part]}` : `Set ${settingOf[part]} to that`;
    throw new ConfigError(
      `${moved.from} was moved to ${moved.to} by \`heddle move\`. ${advice}: what is at the old place is out of date.`,
    );
  }
  if (before[part] === kind) return;
  const isOwn = kind === 'embedded' || kind === 'directory';
  if (!isOwn && isUsed(part, directory)) throw hasOwn(directory[part], part);
  if (!isOwn || before[part] === undefined) return;
  throw new ConfigError(
    `${directory.path} was used with ${settingOf[part]}, which is not set now. Set it again, or choose a new data directory with ` +
      '--data or HEDDLE_DATA.',
  );
}

function hasOwn(folder: string, part: keyof Kinds): ConfigError {
  const named = `${settingOf[part]} names a ${part === 'blobs' ? 'bucket' : 'server'}`;
  return new ConfigError(
    `${named}, but ${folder} has data that is not there. Copy it with \`heddle move --from embedded --to env\`, choose a new data ` +
      'directory with --data or HEDDLE_DATA, or remove the setting.',
  );
}
