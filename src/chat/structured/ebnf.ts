import { readClass, writeClass } from './character-class.ts';
import { checkLength, constraintLimits, GroupCounter } from './limits.ts';

/** An EBNF grammar in a form that the grammar library handles correctly: non-ASCII classes become bytes. */
export function exactEbnf(text: string): string {
  checkLength(text, constraintLimits.grammarLength);
  if (text.trim() === '') throw new Error('it is empty');
  if (!/(^|\n)[ \t]*root\s*::=/.test(text)) throw new Error('it has no rule named root');
  return mapClasses(text);
}

/** A list of strings, one of which is the whole output. */
export function ebnfOfChoice(choices: readonly string[]): string {
  return exactEbnf(`root ::= ${choices.map(ebnfString).join(' | ')}`);
}

/** A quoted string of EBNF. */
export function ebnfString(text: string): string {
  const escaped = text.toWellFormed().replace(/["\\\p{Cc}]/gu, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

function mapClasses(text: string): string {
  const groups = new GroupCounter();
  let written = '';
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at);
    const piece = text.slice(at, end);
    if (piece === '(') groups.open();
    else if (piece === ')') groups.close();
    else if (piece === '{') groups.repeat(/^\{[\d,\s]*/.exec(text.slice(at, at + 100))![0]);
    written += piece[0] === '[' ? exactClass(text, at) : piece;
    at = end;
  }
  return written;
}

/** Strings, comments and classes are pieces; each other character is a piece too. */
function endOfPiece(text: string, at: number): number {
  const character = text[at];
  if (character === '[') return readClass(text, at).end;
  if (character === '#') {
    const line = text.indexOf('\n', at);
    return line === -1 ? text.length : line;
  }
  if (character !== '"') return at + 1;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === '"') return end + 1;
  }
  throw new Error('a quoted string is not closed');
}

function exactClass(text: string, at: number): string {
  const found = readClass(text, at);
  const isAscii = found.ranges.every(([, to]) => to < 0x80);
  return isAscii ? text.slice(at, found.end) : writeClass(found, ' ');
}
