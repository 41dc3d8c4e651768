import type { ProjectId } from '../contract/ids.ts';
import { randomLetters } from './keys.ts';

/**
 * A new internal project id. Clients expect base64 and decode it; 21 bytes of letters need no padding and never encode
 * to `/` or `+`, so the id can be used in paths and refs as it is.
 */
export function newProjectId(): ProjectId {
  return Buffer.from(`Project:${randomLetters(13)}`).toString('base64') as ProjectId; // the only place that creates project ids
}

/** Whether a string has the form of an internal project id, created here or by any other server that clients accept. */
export function isProjectId(text: string): boolean {
  return /^[A-Za-z0-9+/=]{1,100}$/.test(text);
}
