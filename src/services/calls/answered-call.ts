import type { WeaveExtras } from '../../domain/calls/call-json.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';

/** A call with data from other rows. */
export type AnsweredCall = { call: FoundCall; extras: WeaveExtras; username: string | undefined };

/** What is returned with calls besides their columns. */
export type MoreOfCalls = {
  includeStorageSize?: boolean | null;
  includeTotalStorageSize?: boolean | null;
  includeCosts?: boolean | null;
  includeFeedback?: boolean | null;
  includeUsernames?: boolean | null;
};
