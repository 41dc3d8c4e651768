import type { NewEnd, NewStart } from '../domain/calls/new-call.ts';
import type { NewFeedback } from '../services/feedback/prepare-feedback.ts';

/** What a record of an export is converted to. */
export type ImportItem =
  | { kind: 'call'; call: NewStart & Partial<NewEnd> }
  /** A call that other records refer to as their parent. It is created if it does not exist. */
  | { kind: 'parent'; call: NewStart & Partial<NewEnd> }
  /** In the JSON form of OTLP. */
  | { kind: 'span'; span: object }
  | { kind: 'feedback'; feedback: NewFeedback & { id: string } };

/** The target of the records. */
export type ImportTarget = { project: string };

/** Reads one record of a tool. @throws Failure if it is not one of the tool's records */
export type ReadRecord = (text: string, target: ImportTarget) => ImportItem[];
