import type { Comparison, Literal } from '../../../domain/query/operation.ts';
import { isExactAsFloat, mirrored, sqlOperators } from './compare-sql.ts';
import type { Exactly, Expression } from './expression.ts';
import type { Sql } from './sql.ts';

/** Lets an index answer for `exactly`, the condition that two values are equal, if there is one. */
export function equalsThroughIndex(left: Expression, right: Expression, exactly: Exactly): Sql {
  if (left.kind === 'json' && right.kind === 'literal')
    return left.index?.equals([right.literal], exactly) ?? exactly();
  if (left.kind === 'literal' && right.kind === 'json')
    return right.index?.equals([left.literal], exactly) ?? exactly();
  return exactly();
}

/** The same for comparing two values, if one of them is a number. */
export function comparesThroughIndex(kind: Comparison, left: Expression, right: Expression, exactly: Exactly): Sql {
  if (left.kind === 'literal' && right.kind !== 'literal')
    return comparesThroughIndex(mirrored[kind], right, left, exactly);
  if (left.kind !== 'json' || right.kind !== 'literal') return exactly();
  const number = asDouble(right.literal);
  if (number === null) return exactly();
  return left.index?.compares(sqlOperators[kind], number, exactly) ?? exactly();
}

function asDouble(literal: Literal): number | null {
  if (literal.type === 'int') return isExactAsFloat(literal.value) ? Number(literal.value) : null;
  return literal.type === 'float' && Number.isFinite(literal.value) ? literal.value : null;
}

/** The same for membership. */
export function inThroughIndex(operand: Expression, list: Expression[], exactly: Exactly): Sql {
  if (operand.kind !== 'json' || list.length === 0) return exactly();
  const literals = list.filter((element) => element.kind === 'literal').map((element) => element.literal);
  if (literals.length < list.length) return exactly();
  return operand.index?.equals(likeTheList(literals), exactly) ?? exactly();
}

/** The same for a substring. */
export function containsThroughIndex(input: Expression, substr: Expression, exactly: Exactly): Sql {
  if (input.kind !== 'json' || substr.kind !== 'literal' || substr.literal.type !== 'string') return exactly();
  return input.index?.contains(substr.literal.value, exactly) ?? exactly();
}

/** In a list of several types only its strings count (see `inSql`). */
function likeTheList(literals: Literal[]): Literal[] {
  const areAlike =
    literals.every(({ type }) => type === 'bool') || literals.every(({ type }) => type === 'int' || type === 'float');
  return areAlike ? literals : literals.filter(({ type }) => type === 'string');
}
