import type { Operand, Operation } from '../../../domain/query/operation.ts';

/** Both in seconds since 1970, and inclusive. */
type Within = { created_after?: number | null | undefined; created_before?: number | null | undefined };

/** The calls that started in a period; null for all. */
export function startedWithin({ created_after, created_before }: Within): (Operation & { kind: 'and' }) | null {
  const left: Operand = { kind: 'field', path: 'started_at' };
  const right = (value: number): Operand => ({ kind: 'literal', literal: { type: 'int', value: BigInt(value) } });
  const operands: Operation[] = [
    ...(created_after ? [{ kind: 'gte' as const, left, right: right(created_after) }] : []),
    ...(created_before ? [{ kind: 'lte' as const, left, right: right(created_before) }] : []),
  ];
  return operands.length === 0 ? null : { kind: 'and', operands };
}
