/** A condition over fields, parsed from `{"$expr": …}`. The store defines its meaning when it compiles it to SQL. */
export type Operation =
  | { kind: 'and' | 'or'; operands: Operand[] }
  | { kind: 'not'; operand: Operand }
  | { kind: Comparison; left: Operand; right: Operand }
  | { kind: 'in'; operand: Operand; list: Operand[] }
  | { kind: 'contains'; input: Operand; substr: Operand; isCaseInsensitive: boolean };

export type Operand =
  | Operation
  | { kind: 'literal'; literal: Literal }
  | { kind: 'field'; path: string }
  | { kind: 'convert'; input: Operand; to: ConvertTarget }
  | { kind: 'size'; input: Operand };

export type Comparison = 'eq' | 'gt' | 'lt' | 'gte' | 'lte';
export type ConvertTarget = (typeof convertTargets)[number];

/** Whether a number was sent as `5` or `5.0` decides how a field is converted, so literals keep the difference. */
export type Literal =
  | { type: 'string'; value: string }
  | { type: 'int'; value: bigint }
  | { type: 'float'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'null' };

export const convertTargets = ['double', 'string', 'int', 'bool', 'exists'] as const;

/** The paths of all fields in an operation. */
export function fieldPaths(operand: Operand): string[] {
  const paths: string[] = [];
  for (const each of allOperands(operand)) if (each.kind === 'field') paths.push(each.path);
  return paths;
}

/** The number of operations, literals and fields in an operation. */
export function countOperands(operand: Operand): number {
  let count = 0;
  for (const _ of allOperands(operand)) count++;
  return count;
}

/** An operand and everything inside it, in the order of the request. */
function* allOperands(operand: Operand): Generator<Operand> {
  yield operand;
  for (const each of innerOperands(operand)) yield* allOperands(each);
}

function innerOperands(operand: Operand): Operand[] {
  switch (operand.kind) {
    case 'and':
    case 'or':
      return operand.operands;
    case 'not':
      return [operand.operand];
    case 'eq':
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return [operand.left, operand.right];
    case 'in':
      return [operand.operand, ...operand.list];
    case 'contains':
      return [operand.input, operand.substr];
    case 'convert':
    case 'size':
      return [operand.input];
    case 'field':
    case 'literal':
      return [];
    default:
      return operand satisfies never;
  }
}
