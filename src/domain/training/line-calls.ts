import { isObject, ownMember } from '../../util/json/own-member.ts';

/**
 * The calls that a line of training data says it was made from: its `call_id`, and fields with the ref of a call, such as
 * `source_call` of datasets that the page makes.
 */
export function callIdsOfLine(line: unknown): string[] {
  if (!isObject(line)) return [];
  const refs = Object.values(line).map(callIdInRef);
  return [...new Set([...callIdIn(line), ...refs.filter((id) => id !== null)])];
}

/** The call that a message or a choice says it is the answer of. */
export function callIdIn(value: unknown): string[] {
  const id = ownMember(value, 'call_id');
  return typeof id === 'string' && isStorable(id) ? [id] : [];
}

const callRef = /^weave(?:-trace-internal:\/\/\/[^/]+|:\/\/\/[^/]+\/[^/]+)\/call\/([^/]+)$/;

/** The id of the call that a ref names; null for anything else. */
export function callIdInRef(value: unknown): string | null {
  const id = typeof value === 'string' ? (callRef.exec(value)?.[1] ?? null) : null;
  return id !== null && isStorable(id) ? id : null;
}

/** Other texts are no ids, and PostgreSQL could not store them in an index. */
function isStorable(id: string): boolean {
  return id !== '' && id.length <= 200 && !id.includes('\0');
}
