import type { CallUsage } from '../usage/call-usage.ts';
import type { CallRow } from './call-row.ts';

/** The fields that only writes need. */
export const fieldsOfWrites = [
  ...([
    'version',
    'isDeleted',
    'isStarted',
    'isRenamed',
    'isRepeated',
    'isTopmost',
    'startNumber',
    'endNumber',
  ] as const),
  ...(['mapperVersion', 'inputRefs', 'outputRefs'] as const),
] as const satisfies (keyof CallRow)[];

/** A call as a read finds it. Payloads that were not selected are empty. */
export type FoundCall = Omit<CallRow, (typeof fieldsOfWrites)[number]> & {
  /** Bytes of its payloads, if requested. */
  storageSizeBytes: number | null;
  /** On a root call, if requested: the bytes of its whole trace. */
  totalStorageSizeBytes: number | null;
  /** The tokens counted for it, if requested. */
  usage: CallUsage[];
};
