import type { QueueItem } from '../../domain/annotation-queues/item.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { formatDate } from '../objects/object-answer.ts';

/** An item as clients see it. Items are never deleted. */
export function answerItem(project: string, item: QueueItem, position: number | null) {
  return {
    id: item.id,
    project_id: project,
    queue_id: item.queueId,
    call_id: item.callId,
    call_started_at: formatTimestamp(item.callStartedAt),
    call_ended_at: item.callEndedAt === null ? null : formatTimestamp(item.callEndedAt),
    call_op_name: item.callOpName,
    call_trace_id: item.callTraceId,
    display_fields: item.displayFields,
    added_by: item.createdBy,
    annotation_state: item.annotationState,
    annotator_user_id: item.annotatorUserId,
    created_at: formatDate(item.createdAt),
    created_by: item.createdBy,
    updated_at: formatDate(item.updatedAt),
    deleted_at: null,
    position_in_queue: position,
  };
}
