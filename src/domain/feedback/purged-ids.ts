import { badRequest } from '../../contract/errors.ts';
import type { Operand, Operation } from '../query/operation.ts';

/** The ids that the query of a purge names: one `$eq`, or an `$or` of several. @throws ApiError 400 for any other query */
export function purgedIds(query: Operation): string[] {
  if (query.kind === 'or') return query.operands.map(idOf);
  return [idOf(query)];
}

function idOf(operand: Operand): string {
  const { left, right } = operand.kind === 'eq' ? operand : { left: null, right: null };
  const isById = left?.kind === 'field' && left.path === 'id';
  if (isById && right?.kind === 'literal' && right.literal.type === 'string') return right.literal.value;
  throw badRequest(
    'Can only purge feedback by specifying one or more feedback ids: {"$eq": [{"$getField": "id"}, {"$literal": "ID"}]}, or an $or of such',
  );
}
