import type { AnnotationQueue } from '../../domain/annotation-queues/queue.ts';
import { formatDate } from '../objects/object-answer.ts';

/** A queue as clients see it. */
export function answerQueue(project: string, queue: AnnotationQueue) {
  return {
    id: queue.id,
    project_id: project,
    name: queue.name,
    description: queue.description,
    scorer_refs: queue.scorerRefs,
    created_at: formatDate(queue.createdAt),
    created_by: queue.createdBy,
    updated_at: formatDate(queue.updatedAt),
    deleted_at: queue.deletedAt && formatDate(queue.deletedAt),
  };
}
