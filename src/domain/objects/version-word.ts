import { isContentHash } from '../digest/digest.ts';

/** What a word in the place of a digest asks for. A name may be an alias, or a digest that was never given out. */
export type VersionWord =
  | { kind: 'index'; index: number }
  | { kind: 'digest'; digest: string }
  | { kind: 'name'; name: string };

export function parseVersionWord(word: string): VersionWord {
  if (versionIndex.test(word)) return { kind: 'index', index: Number(word.slice(1).replaceAll('_', '')) };
  return isContentHash(word) ? { kind: 'digest', digest: word } : { kind: 'name', name: word };
}

/** `v` and what Python's `int` reads: white space around, a sign, and underscores between digits. */
const versionIndex = /^v\s*[+-]?\d+(?:_\d+)*\s*$/;
