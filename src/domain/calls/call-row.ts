/** What a call gets with its start. */
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
  /** The span a call was derived from, as its own JSON. */
  otelDump: string;
  /** The version of the mapper that created the call from a span; 0 for calls that were sent as calls. */
  mapperVersion: number;
  inputRefs: string[];
  wbUserId: string;
  wbRunId: string;
  /** Digits, because a number would lose precision. */
  wbRunStep: string | null;
};

/** What a call gets with its end. */
export type EndFields = {
  endedAt: Micros;
  exception: string;
  output: string;
  summary: string;
  outputRefs: string[];
  wbRunStepEnd: string | null;
};

/**
 * One version of a call as stored in the `calls` table, used for both writing and reading. In string fields the empty
 * string means unset; times are microseconds since 1970; payloads are exact JSON text.
 */
export type CallRow = StartFields &
  Omit<EndFields, 'endedAt'> & {
    projectId: string;
    id: string;
    /** Microseconds since 1970 at the time of writing, increased if needed to exceed the previous version. */
    version: number;
    isDeleted: boolean;
    /** False while only an end or a rename has arrived: the call is hidden, and its `startedAt` is 0. */
    isStarted: boolean;
    isRenamed: boolean;
    endedAt: Micros | null;
    status: CallStatus;
    /** Whether its tokens belong to a request that another call also reports, and are counted there. */
    isRepeated: boolean;
    /** Whether it represents its trace although it has a parent, because the trace has no root here (see `topmost.ts`). */
    isTopmost: boolean;
    /** The parts that the fields of its start and of its end come from; 0 if a process that was alone wrote them. */
    startNumber: number;
    endNumber: number;
  };

export type CallKey = { projectId: string; id: string };

/** A call of which nothing has arrived. */
export function emptyRow({ projectId, id }: CallKey): CallRow {
  return {
    projectId,
    id,
    version: 0,
    isDeleted: false,
    isStarted: false,
    isRenamed: false,
    traceId: '',
    parentId: '',
    threadId: '',
    turnId: '',
    opName: '',
    displayName: '',
    startedAt: 0,
    attributes: '{}',
    inputs: '{}',
    otelDump: '',
    mapperVersion: 0,
    inputRefs: [],
    wbUserId: '',
    wbRunId: '',
    wbRunStep: null,
    endedAt: null,
    status: 'running',
    exception: '',
    output: 'null',
    summary: '{}',
    outputRefs: [],
    wbRunStepEnd: null,
    isRepeated: false,
    isTopmost: false,
    startNumber: 0,
    endNumber: 0,
  };
}

/** Microseconds since 1970, a safe integer. */
export type Micros = number;

export type CallStatus = 'running' | 'success' | 'error' | 'descendant_error';
