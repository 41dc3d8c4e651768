import type { ProjectId } from '../contract/ids.ts';
import { randomLetters } from './keys.ts';

/**
 * A new internal project id. Clients take it as base64 text and decode it; 21 bytes of letters need no padding and never
 * give a `/` or `+`, so the id can stand in paths and refs as it is.
 */
export function newProjectId(): ProjectId {
  return Buffer.from(`Project:${randomLetters(13)}`).toString('base64') as ProjectId; // the only maker of project ids
}

/** Whether a text can be an internal project id: one that was made here, or by any other server that clients take. */
export function isProjectId(text: string): boolean {
  return /^[A-Za-z0-9+/=]{1,100}$/.test(text);
}
