import { queryOptions } from '@tanstack/react-query';
import { recordOf, writeJson } from '../format/json.ts';
import { ask } from './client.ts';

/** What an annotator has answered to a question about a call. */
export type Annotation = {
  id: string;
  callRef: string;
  /** The name of the question. */
  name: string;
  value: unknown;
  userId: string;
  /** The name of the annotator, or the id. */
  annotator: string;
};

/** The annotations of a queue: of all its calls, or of one. */
export type AnnotationPlace = { queueId: string; callRef?: string };

export function annotationsQuery(projectId: string, place: AnnotationPlace) {
  return queryOptions({
    queryKey: ['queues', projectId, 'annotations', place.queueId, place.callRef],
    queryFn: ({ signal }) => readAnnotations(projectId, place, signal),
  });
}

/** The newest annotations that were made in a place. */
export async function readAnnotations(
  projectId: string,
  { queueId, callRef }: AnnotationPlace,
  signal?: AbortSignal,
): Promise<Annotation[]> {
  const isIn = (field: string, value: string) => ({ $eq: [{ $getField: field }, { $literal: value }] });
  const condition = [isIn('queue_id', queueId), ...(callRef === undefined ? [] : [isIn('weave_ref', callRef)])];
  const body = {
    project_id: projectId,
    fields: ['id', 'weave_ref', 'feedback_type', 'payload', 'wb_user_id', 'creator'],
    query: { $expr: { $and: condition } },
    sort_by: [{ field: 'created_at', direction: 'desc' as const }],
    limit: annotationsMax,
  };
  const { result } = await ask('POST /feedback/query', { body }, signal ? { signal } : {});
  return newest(result.flatMap(annotationOf));
}

export const annotationsMax = 10_000;

function annotationOf(feedback: Record<string, unknown>): Annotation[] {
  const name = /^wandb\.annotation\.(.+)$/.exec(String(feedback.feedback_type))?.[1];
  if (name === undefined) return [];
  const userId = String(feedback.wb_user_id);
  return [
    {
      ...{ id: String(feedback.id), callRef: String(feedback.weave_ref), name, userId },
      value: recordOf(feedback.payload).value,
      annotator: typeof feedback.creator === 'string' && feedback.creator !== '' ? feedback.creator : userId,
    },
  ];
}

/** An annotator can answer twice: the last answer counts. */
function newest(annotations: Annotation[]): Annotation[] {
  const known = new Map<string, Annotation>();
  for (const each of annotations) {
    const key = writeJson([each.callRef, each.name, each.userId]);
    if (!known.has(key)) known.set(key, each);
  }
  return [...known.values()];
}
