/**
 * One version of a call as it lies in the `calls` table. Both the write and the read side speak of calls in this type.
 * In text fields the empty string means unset; times are microseconds since 1970; payloads are exact JSON text.
 */
export type CallRow = {
  projectId: string;
  startedAt: Micros;
  id: string;
  /** Microseconds since 1970 at writing, raised where needed to exceed the version before. */
  version: number;
  isDeleted: boolean;
  /** False while only an end or a rename has arrived: such a call is not shown, and its `startedAt` is 0. */
  isStarted: boolean;
  isRenamed: boolean;
  traceId: string;
  parentId: string;
  threadId: string;
  turnId: string;
  opName: string;
  displayName: string;
  endedAt: Micros | null;
  status: CallStatus;
  exception: string;
  attributes: string;
  inputs: string;
  output: string;
  summary: string;
  /** The span a call was derived from, as its own JSON. */
  otelDump: string;
  /** The version of the mapper that derived it; 0 for calls that were sent as calls. */
  mapperVersion: number;
  inputRefs: string[];
  outputRefs: string[];
  wbUserId: string;
  wbRunId: string;
  /** Digits: the column holds what a number would round. */
  wbRunStep: string | null;
  wbRunStepEnd: string | null;
  /** Whether its tokens are those of a request that another call reports too, and are counted there. */
  isRepeated: boolean;
};

/** Microseconds since 1970, a safe integer. */
export type Micros = number;

export type CallStatus = 'running' | 'success' | 'error' | 'descendant_error';
