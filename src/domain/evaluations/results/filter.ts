import type { EvalResultsFilter } from '../../../contract/eval-results/query.ts';
import type { RowField } from '../../query/in-memory/row-field.ts';
import { rowTest } from '../../query/in-memory/row-test.ts';
import type { Operand, Operation } from '../../query/operation.ts';
import { fieldPaths } from '../../query/operation.ts';
import { parseQuery } from '../../query/parse-query.ts';
import { filterField, type ResultField, readField } from './field.ts';
import type { ResultRow } from './trial.ts';

export type RowFilter = { operation: Operation; evaluationId: string | null };

/** @throws Failure for an invalid query, or a field that cannot be used in filters. */
export function parseRowFilters(filters: readonly EvalResultsFilter[]): RowFilter[] {
  return filters.map(({ query, evaluation_call_id: evaluationId }) => {
    const operation = asTyped(parseQuery(query)) as Operation;
    rowTest<ResultRow>(operation, (name) => rowField(filterField(name), evaluationId));
    return { operation, evaluationId };
  });
}

/** The fields that these filters read. */
export function filteredFields(filters: readonly RowFilter[]): ResultField[] {
  return filters.flatMap(({ operation }) => fieldPaths(operation).map(filterField));
}

/**
 * The matching rows. All filters for one evaluation must match; those for different evaluations are combined with
 * `operator`, and filters without an evaluation form their own group.
 */
export function filterRows(rows: ResultRow[], filters: readonly RowFilter[], operator: 'and' | 'or'): ResultRow[] {
  if (filters.length === 0) return rows;
  const groups = [...Map.groupBy(filters, (filter) => filter.evaluationId).values()].map((group) =>
    group.map(({ operation, evaluationId }) =>
      rowTest<ResultRow>(operation, (name) => rowField(filterField(name), evaluationId)),
    ),
  );
  return rows.filter((row) => {
    const matches = (tests: ((row: ResultRow) => boolean)[]) => tests.every((test) => test(row));
    return operator === 'and' ? groups.every(matches) : groups.some(matches);
  });
}

/** A row's value is the first one that its trials have. */
function rowField(field: ResultField, evaluationId: string | null): RowField<ResultRow> {
  return {
    kind: 'text',
    read({ trials }) {
      for (const trial of trials) {
        if (evaluationId !== null && trial.evaluationId !== evaluationId) continue;
        const value = readField(field, trial);
        if (value !== null) return typeof value === 'string' ? value : JSON.stringify(value);
      }
      return null;
    },
  };
}

/**
 * Converts fields that are compared with a number or a boolean, because the values of a field may have any type. The
 * reference server stores booleans as `1` and `0`, so these strings match them too.
 */
function asTyped(operand: Operand): Operand {
  switch (operand.kind) {
    case 'and':
    case 'or':
      return { ...operand, operands: operand.operands.map(asTyped) };
    case 'not':
      return { ...operand, operand: asTyped(operand.operand) };
    case 'eq': {
      const truth = truthText(operand.right);
      if (operand.left.kind !== 'field' || truth === null) return comparedTyped(operand);
      return {
        kind: 'or',
        operands: [operand, { ...operand, right: { kind: 'literal', literal: { type: 'string', value: truth } } }],
      };
    }
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return comparedTyped(operand);
    case 'in': {
      const target = operand.list.map(typeOf).find((type) => type !== null) ?? null;
      return { ...operand, operand: converted(operand.operand, target) };
    }
    default:
      return operand;
  }
}

type Compared = Extract<Operation, { left: Operand }>;
type Target = 'double' | 'bool';

function comparedTyped(operation: Compared): Compared {
  const { left, right } = operation;
  return { ...operation, left: converted(left, typeOf(right)), right: converted(right, typeOf(left)) };
}

function typeOf(operand: Operand): Target | null {
  if (operand.kind === 'convert') return operand.to === 'double' || operand.to === 'int' ? 'double' : null;
  if (operand.kind !== 'literal') return null;
  const { type } = operand.literal;
  return type === 'int' || type === 'float' ? 'double' : type === 'bool' ? 'bool' : null;
}

function converted(operand: Operand, to: Target | null): Operand {
  return operand.kind === 'field' && to !== null ? { kind: 'convert', input: operand, to } : operand;
}

function truthText(operand: Operand): 'true' | 'false' | null {
  if (operand.kind !== 'literal' || operand.literal.type !== 'string') return null;
  const { value } = operand.literal;
  return value === '1' ? 'true' : value === '0' ? 'false' : null;
}
