import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config.ts';
import type { CopyState } from '../../store/copies.ts';
import { moveName } from '../../store/data-directory.ts';
import type { Kinds } from '../kinds.ts';

/** A move that has begun, as its data directory stores it. */
export type MoveState = {
  /** As the command named them. */
  from: string;
  to: string;
  deployment: string;
  /** The parts that move. */
  parts: Partial<Record<keyof Kinds, { from: string; to: string; copy: CopyState }>>;
};

export function readMove(path: string): MoveState | null {
  const file = join(path, moveName);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

export function saveMove(path: string, state: MoveState): void {
  const file = join(path, moveName);
  writeFileSync(`${file}.part`, JSON.stringify(state), { mode: 0o600, flush: true });
  renameSync(`${file}.part`, file);
}

export function removeMove(path: string): void {
  rmSync(join(path, moveName), { force: true });
}

/** @throws ConfigError if a move was interrupted: a change of the source would not be in the copy */
export function refuseUnfinishedMove(path: string): void {
  const state = readMove(path);
  if (state === null) return;
  throw new ConfigError(
    `${path} is being moved, and the move was interrupted. To finish it, run \`heddle move --from ${state.from} --to ${state.to}\` ` +
      'again. To give it up, run `heddle move --cancel`.',
  );
}

/** How many rows of a part are copied. */
export function rowsOf({ parts }: MoveState, part: keyof Kinds): number {
  const { verified = {}, current = null } = parts[part]?.copy ?? {};
  return Object.values(verified).reduce((sum, rows) => sum + rows, current?.rows ?? 0);
}
