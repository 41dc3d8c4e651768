import type { CallUsage } from '../usage/call-usage.ts';
import type { CallRow } from './call-row.ts';

/** A call as a read finds it. Payloads that were not selected are empty. */
export type FoundCall = Omit<
  CallRow,
  'version' | 'isDeleted' | 'mapperVersion' | 'isStarted' | 'isRenamed' | 'isRepeated' | 'inputRefs' | 'outputRefs'
> & {
  /** Bytes of its payloads, when asked for. */
  storageSizeBytes: number | null;
  /** On a root call, when asked for: the bytes of its whole trace. */
  totalStorageSizeBytes: number | null;
  /** The tokens that count for it, when asked for. */
  usage: CallUsage[];
};
