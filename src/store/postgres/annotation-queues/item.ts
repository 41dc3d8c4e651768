import { sql } from 'kysely';
import type { AnnotationState } from '../../../domain/annotation-queues/progress.ts';
import type { Micros } from '../../../domain/calls/call-row.ts';

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
  /** The annotator of this state; empty while nobody has started. */
  annotatorUserId: string;
};

/** Drivers return bigint as a string or number. */
export const itemColumns = sql`id, queue_id AS "queueId", call_id AS "callId",
  call_started_at::float8 AS "callStartedAt", call_ended_at::float8 AS "callEndedAt",
  call_op_name AS "callOpName", call_trace_id AS "callTraceId", display_fields AS "displayFields",
  created_by AS "createdBy", created_at AS "createdAt", updated_at AS "updatedAt",
  annotation_state AS "annotationState", annotator_user_id AS "annotatorUserId"`;
