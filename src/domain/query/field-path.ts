import { invalidInput, unacceptable } from '../../util/failures.ts';
import { queryLimits } from './query-limits.ts';

/** One step into a JSON value. An integer is an index into a list, and a key otherwise. */
export type PathStep = { key: string; index: number | null };

/** Splits at dots; `\.` is a dot inside a key. @throws Failure for a negative index, or for too many steps. */
export function parseFieldPath(path: string): PathStep[] {
  const parts = path.split(/(?<!\\)\./);
  if (parts.length > queryLimits.pathSteps) {
    throw invalidInput(`A field path can have at most ${queryLimits.pathSteps} steps, found one of ${parts.length}`);
  }
  return parts.map((part) => part.replaceAll('\\.', '.')).map((key) => toStep(key, path));
}

/** Whether `prefix` is the location of `path` or contains it. */
export function isPathPrefix(prefix: PathStep[], path: PathStep[]): boolean {
  return prefix.length <= path.length && prefix.every((step, i) => step.key === path[i]!.key);
}

const indexMax = 2 ** 31 - 2;

function toStep(key: string, path: string): PathStep {
  if (/^-\d+$/.test(key)) throw unacceptable(`Negative index ${key} in the field ${path}: lists are counted from 0`);
  const index = /^\d+$/.test(key) ? Number(key) : null;
  return { key, index: index !== null && index <= indexMax ? index : null };
}
