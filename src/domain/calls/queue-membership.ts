import type { Operand, Operation } from '../query/operation.ts';

/** The field that selects the calls of an annotation queue: `{"$eq": [field, queue id]}`. */
export const queueIdField = 'annotation_queue_items.queue_id';

/** The queues whose calls an operation selects. */
export function askedQueues(operation: Operation): string[] {
  const found: string[] = [];
  mapQueues(operation, (queueId) => {
    found.push(queueId);
    return [];
  });
  return found;
}

/** The operation with the queues replaced by the ids of their calls. */
export function withCallsOfQueues(operation: Operation, callsOf: ReadonlyMap<string, string[]>): Operation {
  return mapQueues(operation, (queueId) => callsOf.get(queueId) ?? []);
}

type CallsOf = (queueId: string) => string[];

function mapQueues(operation: Operation, callsOf: CallsOf): Operation {
  const map = (operand: Operand) => mapOperand(operand, callsOf);
  switch (operation.kind) {
    case 'and':
    case 'or':
      return { ...operation, operands: operation.operands.map(map) };
    case 'not':
      return { ...operation, operand: map(operation.operand) };
    case 'eq': {
      const queueId = queueOf(operation.left, operation.right) ?? queueOf(operation.right, operation.left);
      if (queueId !== null) return isOneOf(callsOf(queueId));
      return { ...operation, left: map(operation.left), right: map(operation.right) };
    }
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return { ...operation, left: map(operation.left), right: map(operation.right) };
    case 'in':
      return { ...operation, operand: map(operation.operand), list: operation.list.map(map) };
    case 'contains':
      return { ...operation, input: map(operation.input), substr: map(operation.substr) };
    default:
      return operation satisfies never;
  }
}

function mapOperand(operand: Operand, callsOf: CallsOf): Operand {
  switch (operand.kind) {
    case 'literal':
    case 'field':
      return operand;
    case 'convert':
    case 'size':
      return { ...operand, input: mapOperand(operand.input, callsOf) };
    default:
      return mapQueues(operand, callsOf);
  }
}

function queueOf(field: Operand, literal: Operand): string | null {
  if (field.kind !== 'field' || field.path !== queueIdField || literal.kind !== 'literal') return null;
  return literal.literal.type === 'string' ? literal.literal.value : null;
}

function isOneOf(callIds: string[]): Operation {
  const list = callIds.map((value): Operand => ({ kind: 'literal', literal: { type: 'string', value } }));
  return { kind: 'in', operand: { kind: 'field', path: 'id' }, list };
}
