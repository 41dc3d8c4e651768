/** A condition over fields, read from `{"$expr": …}`: what it means is told in the store, which compiles it to SQL. */
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

/** Whether a number was sent as `5` or `5.0` decides how a field is read, so literals keep the difference. */
export type Literal =
  | { type: 'string'; value: string }
  | { type: 'int'; value: bigint }
  | { type: 'float'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'null' };

export const convertTargets = ['double', 'string', 'int', 'bool', 'exists'] as const;

/** The paths of all fields an operation names. */
export function fieldPaths(operand: Operand): string[] {
  switch (operand.kind) {
    case 'and':
    case 'or':
      return operand.operands.flatMap(fieldPaths);
    case 'not':
      return fieldPaths(operand.operand);
    case 'eq':
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return [...fieldPaths(operand.left), ...fieldPaths(operand.right)];
    case 'in':
      return [operand.operand, ...operand.list].flatMap(fieldPaths);
    case 'contains':
      return [...fieldPaths(operand.input), ...fieldPaths(operand.substr)];
    case 'convert':
    case 'size':
      return fieldPaths(operand.input);
    case 'field':
      return [operand.path];
    case 'literal':
      return [];
    default:
      return operand satisfies never;
  }
}
