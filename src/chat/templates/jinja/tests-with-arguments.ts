import type { tokenize } from '@huggingface/jinja';
import { filterNameOf } from './tests.ts';

type Token = ReturnType<typeof tokenize>[number];

/**
 * Rewrites `x is divisibleby 3` and `x is not divisibleby(3)` as filters with arguments, because the library parses only
 * tests without arguments.
 */
export function testsAsFilters(tokens: Token[]): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const found = testAt(tokens, at);
    if (!found) {
      result.push(tokens[at]!);
      continue;
    }
    const { name, isNegated, operand, end } = found;
    result.push(token('|', 'Pipe'), token(filterNameOf(name, isNegated), 'Identifier'));
    result.push(token('(', 'OpenParen'), ...testsAsFilters(operand), token(')', 'CloseParen'));
    at = end - 1;
  }
  return result;
}

type Found = { name: string; isNegated: boolean; operand: Token[]; end: number };

/** Keywords that continue an expression after a test, so they are not its argument. */
const operators = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'recursive']);
const closing: Record<string, string | undefined> = {
  OpenParen: 'CloseParen',
  OpenSquareBracket: 'CloseSquareBracket',
  OpenCurlyBracket: 'CloseCurlyBracket',
};

function testAt(tokens: readonly Token[], at: number): Found | null {
  if (!isWord(tokens[at], 'is')) return null;
  const isNegated = isWord(tokens[at + 1], 'not');
  const nameAt = at + (isNegated ? 2 : 1);
  const name = tokens[nameAt];
  const first = tokens[nameAt + 1];
  if (name?.type !== 'Identifier' || !first) return null;
  const isArgument =
    closing[first.type] !== undefined ||
    ['NumericLiteral', 'StringLiteral'].includes(first.type) ||
    (first.type === 'Identifier' && !operators.has(first.value));
  if (!isArgument) return null;
  const end = endOfOperand(tokens, nameAt + 1);
  const operand = tokens.slice(nameAt + 1, end);
  // `is test(3)` has its argument in parentheses, which the filter gets anyway.
  const isWrapped = first.type === 'OpenParen' && endOfGroup(tokens, nameAt + 1) === end;
  return { name: name.value, isNegated, operand: isWrapped ? operand.slice(1, -1) : operand, end };
}

/** The end of one value with its members, subscripts and calls. */
function endOfOperand(tokens: readonly Token[], start: number): number {
  let end = closing[tokens[start]!.type] ? endOfGroup(tokens, start) : start + 1;
  while (tokens[end]) {
    if (tokens[end]!.type === 'Dot') end += 2;
    else if (tokens[end]!.type === 'OpenParen' || tokens[end]!.type === 'OpenSquareBracket')
      end = endOfGroup(tokens, end);
    else break;
  }
  return end;
}

function endOfGroup(tokens: readonly Token[], start: number): number {
  const open = tokens[start]!.type;
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    if (tokens[at]!.type === open) depth++;
    if (tokens[at]!.type === closing[open] && --depth === 0) return at + 1;
  }
  return tokens.length;
}

function isWord(found: Token | undefined, word: string): boolean {
  return found?.type === 'Identifier' && found.value === word;
}

function token(value: string, type: Token['type']): Token {
  return { value, type };
}
