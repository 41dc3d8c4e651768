import type { Kind } from './kind.ts';

/** The call that a span describes. Contains only plain values, so that it can be sent between threads. */
export type MappedSpan = {
  id: string;
  traceId: string;
  parentId: string;
  threadId: string;
  turnId: string;
  /** The op object the call belongs to. */
  opId: string;
  displayName: string;
  startedAt: number;
  /** Null while the span runs: then only the start of the call exists. */
  endedAt: number | null;
  exception: string;
  /** Payloads as JSON text. */
  attributes: string;
  inputs: string;
  output: string;
  summary: string;
  /**
   * The summary of a span around model requests, with the sums that it reports. Used only if none of those requests has
   * a call of its own. Empty if there is no such sum.
   */
  summaryAlone: string;
  /** Whether that sum repeats requests beside the span instead of below it. */
  isRecord: boolean;
  /** Whether the summary reports tokens. */
  isCounted: boolean;
  /** The kind of the call; empty if the span has nothing to do with models and agents. */
  kind: Kind | '';
  /** Whether it may be a manually traced step around such calls: see `asStep`. */
  mayBeStep: boolean;
  /** A run without its project; empty if none is named. */
  run: string;
  /** Digits. */
  runStep: string | null;
  runStepEnd: string | null;
};
