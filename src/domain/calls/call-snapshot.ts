import type { CallRow } from './call-row.ts';

/** The fields of a call that are copied elsewhere, as they were at that time. */
export type CallSnapshot = Pick<CallRow, 'id' | 'startedAt' | 'endedAt' | 'opName' | 'traceId'>;
