import type { Caller } from '../identity/identity.ts';
import type { Project } from './calls/query-calls.ts';

/** The project of an operation, and the user it is done for. */
export type Owner = { project: Project; caller: Caller };
