import { readClass, writeClass } from './character-class.ts';
import { checkLength, constraintLimits } from './limits.ts';

/** A `whitespace_pattern` as EBNF: nothing, or one white-space character or class with a quantifier. */
export function whitespaceAsEbnf(pattern: string): string {
  checkLength(pattern, constraintLimits.whitespaceLength);
  if (pattern === '') return '""';
  const [, one, quantifier] = /^(\[[^\]]+\]|\\[snrt]|[ \n\r\t])([*+?]|\{\d+(?:,\d*)?\})?$/.exec(pattern) ?? [];
  if (one === undefined) {
    throw new Error(
      `${JSON.stringify(pattern)} must be one white-space character or class, with or without a quantifier`,
    );
  }
  const found = readClass(one.startsWith('[') ? one : `[${one}]`, 0);
  const jsonSpace = found.ranges.flatMap(([from, to]) => space.filter((code) => code >= from && code <= to));
  const isOnlySpace = found.ranges.every(
    ([from, to]) => from > 0x7f || (from >= 9 && to <= 13) || (from === 32 && to === 32),
  );
  if (found.isNegated || !isOnlySpace || jsonSpace.length === 0) {
    throw new Error(`${JSON.stringify(pattern)} allows what is not white space in JSON`);
  }
  return `${writeClass({ isNegated: false, ranges: jsonSpace.map((code) => [code, code]) }, ' ')}${quantifier ?? ''}`;
}

/** What JSON allows between its tokens. */
const space = [0x20, 0x09, 0x0a, 0x0d];
