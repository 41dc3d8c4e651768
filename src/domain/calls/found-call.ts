import type { CallUsage } from '../usage/call-usage.ts';
import type { CallRow } from './call-row.ts';

/** A call as a read finds it. Payloads that were not selected are empty. */
export type FoundCall = Omit<
  CallRow,
  | 'version'
  | 'isDeleted'
  | 'mapperVersion'
  | 'isStarted'
  | 'isRenamed'
  | 'isRepeated'
  | 'isTopmost'
  | 'inputRefs'
  | 'outputRefs'
> & {
  /** Bytes of its payloads, if requested. */
  storageSizeBytes: number | null;
  /** On a root call, if requested: the bytes of its whole trace. */
  totalStorageSizeBytes: number | null;
  /** The tokens counted for it, if requested. */
  usage: CallUsage[];
};
