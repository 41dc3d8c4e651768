import { invalidInput } from '../../../util/failures.ts';
import type { Operand, Operation } from '../operation.ts';
import { compareFields } from './compare-fields.ts';
import { convert } from './convert.ts';
import { condition, type Expression, kindName, type RowField, textOf, truthOf } from './row-field.ts';

/**
 * Compiles a query to a predicate over rows in memory, for data that a project has little of. It uses the three-valued
 * logic of the query language: a row for which a condition is unknown is matched neither by it nor by its negation.
 * @throws Failure for mismatched types, and whatever `resolveField` throws; before any row is tested.
 */
export function rowTest<Row>(
  operation: Operation,
  resolveField: (path: string) => RowField<Row>,
): (row: Row) => boolean {
  const truth = truthOf(compile(operation, resolveField));
  return (row) => truth(row) === true;
}

function compile<Row>(operand: Operand, resolveField: (path: string) => RowField<Row>): Expression<Row> {
  const inner = (each: Operand) => compile(each, resolveField);
  switch (operand.kind) {
    case 'literal':
      return operand;
    case 'field':
      return resolveField(operand.path);
    case 'and':
      return junction(operand.operands.map(inner), false);
    case 'or':
      return junction(operand.operands.map(inner), true);
    case 'not': {
      const truth = truthOf(inner(operand.operand));
      return condition((row) => {
        const found = truth(row);
        return found === null ? null : !found;
      });
    }
    case 'eq':
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return compareFields(operand.kind, inner(operand.left), inner(operand.right));
    case 'in':
      return isIn(inner(operand.operand), operand.list.map(inner));
    case 'contains':
      return contains(inner(operand.input), inner(operand.substr), operand.isCaseInsensitive);
    case 'convert':
      return convert(inner(operand.input), operand.to);
    case 'size':
      return sizeOf(inner(operand.input));
    default:
      return operand satisfies never;
  }
}

/**
 * Joins conditions. `decisive` is the value of one part that decides the result; otherwise an unknown part makes the
 * result unknown.
 */
function junction<Row>(parts: Expression<Row>[], decisive: boolean): RowField<Row> {
  const truths = parts.map(truthOf);
  return condition((row) => {
    let isKnown = true;
    for (const truth of truths) {
      const found = truth(row);
      if (found === decisive) return decisive;
      if (found === null) isKnown = false;
    }
    return isKnown ? !decisive : null;
  });
}

/** Nulls in the list never match; an empty list matches nothing. */
function isIn<Row>(operand: Expression<Row>, list: Expression<Row>[]): RowField<Row> {
  const known = list.filter((each) => each.kind !== 'literal' || each.literal.type !== 'null');
  return junction(
    known.map((each) => compareFields('eq', operand, each)),
    true,
  );
}

/** Every string contains the empty string. */
function contains<Row>(input: Expression<Row>, substr: Expression<Row>, isCaseInsensitive: boolean): RowField<Row> {
  const [readText, readPart] = [textOf(input), textOf(substr)];
  const fold = (text: string) => (isCaseInsensitive ? text.toLowerCase().replaceAll('ς', 'σ') : text);
  return condition((row) => {
    const [text, part] = [readText(row), readPart(row)];
    return text === null || part === null ? null : fold(text).includes(fold(part));
  });
}

/** The length of a string in bytes. */
function sizeOf<Row>(input: Expression<Row>): RowField<Row> {
  if (input.kind !== 'text' && input.kind !== 'literal') {
    throw invalidInput(`$size takes a text or a list, found a ${kindName(input)}; $convert it to string`);
  }
  const read = textOf(input);
  return {
    kind: 'number',
    read: (row) => {
      const text = read(row);
      return text === null ? null : Buffer.byteLength(text);
    },
  };
}
