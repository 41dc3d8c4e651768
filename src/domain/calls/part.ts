import type { Micros } from './call-row.ts';

/**
 * What a request contributes to a call, in any order. Times are microseconds since 1970, payloads are JSON text, and
 * the empty string means unset, as in `CallRow`.
 */
export type CallPart =
  | { kind: 'start'; start: StartFields }
  | { kind: 'end'; end: EndFields }
  | { kind: 'complete'; start: StartFields; end: EndFields }
  | { kind: 'rename'; displayName: string }
  | { kind: 'delete' }
  /** Whether the call represents a trace without a root. */
  | { kind: 'topmost'; isTopmost: boolean }
  /** The parent has another id than its child knew. */
  | { kind: 'parent'; parentId: string };

export type StartFields = {
  traceId: string;
  parentId: string;
  threadId: string;
  turnId: string;
  opName: string;
  displayName: string;
  startedAt: Micros;
  attributes: string;
  inputs: string;
  otelDump: string;
  mapperVersion: number;
  inputRefs: string[];
  wbUserId: string;
  wbRunId: string;
  /** Digits, because a number would lose precision. */
  wbRunStep: string | null;
};

export type EndFields = {
  endedAt: Micros;
  exception: string;
  output: string;
  summary: string;
  outputRefs: string[];
  wbRunStepEnd: string | null;
};
