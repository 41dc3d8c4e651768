import type { CallRow } from './call-row.ts';

/** What is kept of a call elsewhere, as the call was then. */
export type CallSnapshot = Pick<CallRow, 'id' | 'startedAt' | 'endedAt' | 'opName' | 'traceId'>;
