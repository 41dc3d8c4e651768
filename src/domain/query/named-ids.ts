import type { Operand, Operation } from './operation.ts';

/**
 * The ids of a query that selects only ids: by `$eq` on `id`, by an `$or` of these and, if allowed, by `$in`. Null for
 * any other query.
 */
export function namedIds(query: Operation, { takesIn }: { takesIn: boolean }): string[] | null {
  const ids =
    takesIn && query.kind === 'in' ? idsIn(query) : query.kind === 'or' ? query.operands.map(idOf) : [idOf(query)];
  return ids.length > 0 && ids.every((id) => id !== null) ? ids : null;
}

function idsIn({ operand, list }: Extract<Operation, { kind: 'in' }>): (string | null)[] {
  return isIdField(operand) ? list.map(textOf) : [];
}

function idOf(operand: Operand): string | null {
  return operand.kind === 'eq' && isIdField(operand.left) ? textOf(operand.right) : null;
}

function isIdField(operand: Operand): boolean {
  return operand.kind === 'field' && operand.path === 'id';
}

function textOf(operand: Operand): string | null {
  return operand.kind === 'literal' && operand.literal.type === 'string' ? operand.literal.value : null;
}
