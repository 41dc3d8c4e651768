import { readClass, readEscape, shorthands, writeClass } from './character-class.ts';
import { checkLength, constraintLimits, GroupCounter } from './limits.ts';

/**
 * A regular expression in the form that the grammar library handles correctly. Non-ASCII characters in classes become
 * bytes, `.` is any character except a line feed, and what the library would ignore or misread is rejected by name.
 */
export function exactRegex(pattern: string): string {
  checkLength(pattern, constraintLimits.regexLength);
  if (pattern.includes('\0')) throw new Error('it contains a NUL character');
  const body = withoutAnchors(pattern);
  const groups = new GroupCounter();
  let written = '';
  for (let at = 0; at < body.length; ) {
    const [piece, end] = readPiece(body, at);
    if (body[at] === '(') groups.open();
    else if (body[at] === ')') groups.close();
    else if (piece === '{') groups.repeat(/^\{[\d,]*/.exec(body.slice(at, at + 100))![0]);
    written += piece;
    at = end;
  }
  return written;
}

/** The whole output must match, so anchors at the ends have no effect. */
function withoutAnchors(pattern: string): string {
  let backslashes = 0;
  while (pattern.at(-2 - backslashes) === '\\') backslashes++;
  const hasEnd = pattern.endsWith('$') && backslashes % 2 === 0;
  return pattern.slice(pattern.startsWith('^') ? 1 : 0, hasEnd ? -1 : undefined);
}

function readPiece(text: string, at: number): [piece: string, end: number] {
  const character = text[at]!;
  if (character === '.') return ['[^\\x0a]', at + 1];
  if (character === '[') {
    const found = readClass(text, at);
    return [writeClass(found, ''), found.end];
  }
  if (character === '\\') return readBackslash(text, at);
  if (character === '(' && text[at + 1] === '?') return readGroup(text, at);
  if (character === '^' || character === '$') throw new Error(`${character} is only supported at the ends`);
  if (character === '{' && !/^\{\d+(,\d*)?\}/.test(text.slice(at))) return ['\\{', at + 1];
  if (/^[*+?}]\+/.test(text.slice(at, at + 2)) && character !== '}')
    throw new Error('possessive quantifiers are not supported');
  return [character, at + 1];
}

function readBackslash(text: string, at: number): [string, number] {
  const next = text[at + 1] ?? '';
  const shorthand = shorthands[next];
  if (shorthand) return [writeClass({ isNegated: false, ranges: shorthand }, ''), at + 2];
  const escaped = readEscape(text, at);
  if (!escaped) {
    const names: Record<string, string> = {
      b: 'word boundaries (\\b)',
      B: 'word boundaries (\\B)',
      p: 'Unicode properties (\\p)',
    };
    throw new Error(`${names[next] ?? (/\d/.test(next) ? 'backreferences' : `\\${next}`)} are not supported`);
  }
  return [literal(escaped.codePoint), escaped.end];
}

function readGroup(text: string, at: number): [string, number] {
  const opening = /^\(\?(?::|P?<[A-Za-z_]\w*>)/.exec(text.slice(at, at + 80));
  if (opening) return ['(?:', at + opening[0].length];
  const kind = /^\(\?<?[=!]/.test(text.slice(at)) ? 'lookaround' : 'flags and other special groups';
  throw new Error(`${kind} (${text.slice(at, at + 4)}) is not supported`);
}

/** ASCII as an escaped byte, so that no character has a special meaning; others are unchanged. */
function literal(codePoint: number): string {
  if (codePoint < 0x80) return `[\\x${codePoint.toString(16).padStart(2, '0')}]`;
  return String.fromCodePoint(codePoint);
}
