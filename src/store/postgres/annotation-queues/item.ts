import { sql } from 'kysely';

export const itemColumns = sql`id, queue_id AS "queueId", call_id AS "callId",
  call_started_at AS "callStartedAt", call_ended_at AS "callEndedAt",
  call_op_name AS "callOpName", call_trace_id AS "callTraceId", display_fields AS "displayFields",
  created_by AS "createdBy", created_at AS "createdAt", updated_at AS "updatedAt",
  annotation_state AS "annotationState", annotator_user_id AS "annotatorUserId"`;
