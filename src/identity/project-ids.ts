import type { ProjectId } from '../contract/ids.ts';
import { randomLetters } from './keys.ts';

/**
 * A new internal project id. Clients take it as base64 text and decode it; 21 bytes of letters need no padding and never
 * give a `/` or `+`, so the id can stand in paths and refs as it is.
 */
export function newProjectId(): ProjectId {
  return Buffer.from(`Project:${randomLetters(13)}`).toString('base64') as ProjectId; // the only maker of project ids
}
