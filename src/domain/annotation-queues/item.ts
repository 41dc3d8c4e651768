import type { Micros } from '../calls/call-row.ts';
import type { AnnotationState } from './progress.ts';

/** A call in a queue, with the fields the call had when it was added. */
export type QueueItem = {
  id: string;
  queueId: string;
  callId: string;
  callStartedAt: Micros;
  callEndedAt: Micros | null;
  callOpName: string;
  callTraceId: string;
  displayFields: string[];
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  annotationState: AnnotationState;
  /** The annotator of this state; empty until one has started. */
  annotatorUserId: string;
};
