import { JsonText } from './json-text.ts';

/** Writes a value as JSON, with any `JsonText` in it verbatim. Undefined members are left out. */
export function toJson(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map((element) => toJson(element ?? null)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${toJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/**
 * Writes a value like `toJson`, but in pieces that each take little time. Only long strings and long arrays take time;
 * arrays are split at the top level and in its members, where responses have them.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const token of tokens(value)) {
    piece += token;
    if (piece.length < pieceCharacters) continue;
    yield* cut(piece);
    piece = '';
  }
  if (piece !== '') yield piece;
}

const pieceCharacters = 256 * 1024;

function* tokens(value: unknown, level = 0): Generator<string> {
  if (level > levelsMax || value === null || typeof value !== 'object' || value instanceof JsonText) {
    yield toJson(value);
  } else if (Array.isArray(value)) {
    yield '[';
    for (let i = 0; i < value.length; i++) {
      if (i > 0) yield ',';
      yield* tokens(value[i] ?? null, level + 1);
    }
    yield ']';
  } else {
    let separator = '{';
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* tokens(member, level + 1);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  }
}

const levelsMax = 2;

/** Never splits a surrogate pair, which could not be encoded. */
function* cut(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + 4 * pieceCharacters, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
