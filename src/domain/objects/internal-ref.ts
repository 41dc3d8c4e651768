import { parseRef, type Ref } from '../refs.ts';

const prefix = 'weave-trace-internal:///';

/** Without entity and project, which `projectId` replaces. */
export type InternalRef = { projectId: string } & Ref;

/** A ref as it appears in stored values; null for any other string. */
export function parseInternalRef(text: string): InternalRef | null {
  if (!text.startsWith(prefix)) return null;
  const ref = parseRef(`weave:///-/${text.slice(prefix.length)}`); // the id replaces the project
  return ref && { ...ref, projectId: ref.project };
}
