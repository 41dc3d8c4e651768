import { badRequest } from '../../contract/errors.ts';
import type { Operand, Operation } from '../query/operation.ts';

/** The ids of the prices that a query of `/cost/purge` names. @throws ApiError 400 when it is more than a list of ids. */
export function purgedIds(query: Operation): string[] {
  const ids = query.kind === 'or' ? query.operands.map(idOf) : query.kind === 'in' ? idsIn(query) : [idOf(query)];
  if (ids.length > 0 && ids.every((id) => id !== null)) return ids;
  throw badRequest('Can only purge costs by specifying one or more cost ids');
}

function idOf(operand: Operand): string | null {
  return operand.kind === 'eq' && isIdField(operand.left) ? textOf(operand.right) : null;
}

function idsIn({ operand, list }: Extract<Operation, { kind: 'in' }>): (string | null)[] {
  return isIdField(operand) ? list.map(textOf) : [];
}

function isIdField(operand: Operand): boolean {
  return operand.kind === 'field' && operand.path === 'id';
}

function textOf(operand: Operand): string | null {
  return operand.kind === 'literal' && operand.literal.type === 'string' ? operand.literal.value : null;
}
