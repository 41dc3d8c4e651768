import type { CallKey } from '../../../../domain/calls/call-row.ts';
import type { CallPart } from '../../../../domain/calls/part.ts';
import type { SpanRelation } from '../../../../domain/calls/span-copies.ts';

/** A part of a call, with the call it belongs to. */
export type CallWrite = CallKey & {
  part: CallPart;
  /** Store the part only if the call's start is known. */
  needsStart?: boolean;
  /** Do not change a call whose start came from an SDK rather than from a span. */
  yieldsToSdk?: boolean;
  /** The trace of an exported span: neither a call of another trace nor a newer copy of the span is changed. */
  spanTraceId?: string;
};

/**
 * The result of a write: `unstarted` if it needed a start and there was none, `covered` if it did not change an SDK's
 * call. `ofOtherTrace` and `outdated` are those of a span, see `relationOf`.
 */
export type WriteOutcome = 'stored' | 'unstarted' | 'covered' | Exclude<SpanRelation, 'same'>;
