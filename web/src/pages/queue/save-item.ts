import type { QueryClient } from '@tanstack/react-query';
import { type Annotation, annotationsQuery, readAnnotations } from '../../api/annotations.ts';
import { ask } from '../../api/client.ts';
import type { Question } from '../../api/questions.ts';
import type { QueueItem } from '../../api/queues.ts';
import { readAgain } from '../../api/read-again.ts';
import { sessionQuery } from '../../api/session.ts';
import { comparable } from '../../format/json.ts';
import { refOfCall } from '../../refs.ts';

/** Answers by the refs of their questions. */
export type Answers = ReadonlyMap<string, unknown>;

type ItemToSave = {
  client: QueryClient;
  projectId: string;
  queueId: string;
  item: QueueItem;
  state: 'completed' | 'skipped';
  questions: Question[];
  answers: Answers;
};

/** Stores the answers of the user about an item, in the place of earlier ones, and then that the item is finished. */
export async function saveItem(saved: ItemToSave): Promise<void> {
  const { client, projectId, queueId, item, state, questions, answers } = saved;
  const place = { queueId, callRef: refOfCall(projectId, item.call_id) };
  if (state === 'completed' && answers.size > 0) {
    // Not from the query of the item: that is canceled when the next item is shown.
    const before = await readAnnotations(projectId, place);
    for (const question of questions) await saveAnswer(saved, question, before);
    await readAgain({ queryKey: annotationsQuery(projectId, place).queryKey });
  }
  if (item.own_state !== 'completed' && item.own_state !== 'skipped') {
    await ask('POST /annotation_queues/{queue_id}/items/{item_id}/progress', {
      params: { queue_id: queueId, item_id: item.id },
      body: { project_id: projectId, annotation_state: state },
    });
  }
  // The items that are shown stay as they are; when the queue is opened again, they are read again.
  void client.invalidateQueries({ queryKey: ['queues', projectId, 'own-items', queueId], refetchType: 'none' });
  for (const part of ['stats', 'items']) void readAgain({ queryKey: ['queues', projectId, part] });
  void readAgain({ queryKey: annotationsQuery(projectId, { queueId }).queryKey });
}

async function saveAnswer(saved: ItemToSave, question: Question, before: Annotation[]): Promise<void> {
  const { client, projectId, queueId, item, answers } = saved;
  if (!answers.has(question.ref)) return;
  const session = await client.ensureQueryData(sessionQuery);
  const own = before.find(({ name, userId }) => name === question.name && userId === session?.user_id);
  const value = answers.get(question.ref);
  if (own && comparable(own.value) === comparable(value)) return;
  const body = {
    project_id: projectId,
    weave_ref: refOfCall(projectId, item.call_id),
    creator: session?.username ?? null,
    feedback_type: `wandb.annotation.${question.name}`,
    annotation_ref: question.ref,
    queue_id: queueId,
    payload: { value } as never, // any JSON
  };
  if (own) await ask('POST /feedback/replace', { body: { ...body, feedback_id: own.id } });
  else await ask('POST /feedback/create', { body });
}
