import { parseRef, type Ref } from '../refs.ts';

const prefix = 'weave-trace-internal:///';

/** Without entity and project, in whose place `projectId` stands. */
export type InternalRef = { projectId: string } & Ref;

/** A ref as it lies in stored values; null for any other text. */
export function parseInternalRef(text: string): InternalRef | null {
  if (!text.startsWith(prefix)) return null;
  const ref = parseRef(`weave:///-/${text.slice(prefix.length)}`); // the id takes the project's place
  return ref && { ...ref, projectId: ref.project };
}
