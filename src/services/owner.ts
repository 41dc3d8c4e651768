import type { Caller } from '../identity/identity.ts';
import type { Project } from './calls/query-calls.ts';

/** In which project something is done, and for whom. */
export type Owner = { project: Project; caller: Caller };
