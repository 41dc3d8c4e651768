import type { Micros } from '../calls/call-row.ts';
import type { CallUsage } from './call-usage.ts';

export type UsageCall = {
  id: string;
  parentId: string;
  traceId: string;
  startedAt: Micros;
  endedAt: Micros | null;
  /** Whether it was sent as an OpenTelemetry span. */
  isSpan: boolean;
  opName: string;
  /** The provider's response id; empty if unknown. */
  responseId: string;
  usage: CallUsage[];
};
