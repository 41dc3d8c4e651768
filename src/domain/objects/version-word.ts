import { isContentHash } from '../digest/digest.ts';

/** The version that a string in the position of a digest refers to. A name may be an alias, or an unknown digest. */
export type VersionWord =
  | { kind: 'index'; index: number }
  | { kind: 'digest'; digest: string }
  | { kind: 'name'; name: string };

export function parseVersionWord(word: string): VersionWord {
  if (versionIndex.test(word)) return { kind: 'index', index: Number(word.slice(1).replaceAll('_', '')) };
  return isContentHash(word) ? { kind: 'digest', digest: word } : { kind: 'name', name: word };
}

/** `v` and anything that Python's `int` parses: surrounding whitespace, a sign, and underscores between digits. */
const versionIndex = /^v\s*[+-]?\d+(?:_\d+)*\s*$/;
