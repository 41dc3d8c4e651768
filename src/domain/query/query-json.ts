import type { Literal, Operand, Operation } from './operation.ts';

/** A query as clients write it, `{"$expr": …}`, as JSON text: the opposite of `parseQuery`. */
export function queryJson(operation: Operation): string {
  return `{"$expr":${operandJson(operation)}}`;
}

function operandJson(operand: Operand): string {
  switch (operand.kind) {
    case 'literal':
      return `{"$literal":${literalJson(operand.literal)}}`;
    case 'field':
      return `{"$getField":${JSON.stringify(operand.path)}}`;
    case 'and':
    case 'or':
      return `{"$${operand.kind}":${listJson(operand.operands)}}`;
    case 'not':
      return `{"$not":${listJson([operand.operand])}}`;
    case 'eq':
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return `{"$${operand.kind}":${listJson([operand.left, operand.right])}}`;
    case 'in':
      return `{"$in":[${operandJson(operand.operand)},${listJson(operand.list)}]}`;
    case 'contains': {
      const { input, substr, isCaseInsensitive } = operand;
      return `{"$contains":{"input":${operandJson(input)},"substr":${operandJson(substr)},"case_insensitive":${isCaseInsensitive}}}`;
    }
    case 'convert':
      return `{"$convert":{"input":${operandJson(operand.input)},"to":"${operand.to}"}}`;
    case 'size':
      return `{"$size":${operandJson(operand.input)}}`;
    default:
      return operand satisfies never;
  }
}

function listJson(operands: Operand[]): string {
  return `[${operands.map(operandJson).join(',')}]`;
}

/** A float keeps its point, which tells it from an integer. */
function literalJson(literal: Literal): string {
  if (literal.type === 'null') return 'null';
  if (literal.type === 'int') return String(literal.value);
  if (literal.type === 'float' && Number.isInteger(literal.value) && Math.abs(literal.value) < 1e21) {
    return `${literal.value}.0`;
  }
  return JSON.stringify(literal.value);
}
