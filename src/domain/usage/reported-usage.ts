import type { CallRow } from '../calls/call-row.ts';
import type { CallUsage } from './call-usage.ts';

/** The tokens that a summary reports for one model, before it is known whether all of them are part of the sums. */
export type ReportedUsage = { usage: CallUsage; counts: Record<string, unknown> };

/** What the usage of a call is read from. */
export type ReportingCall = Pick<CallRow, 'summary' | 'attributes' | 'output' | 'mapperVersion'>;
