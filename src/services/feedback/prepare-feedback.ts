import type { FeedbackWire } from '../../contract/feedback/feedback.ts';
import type { ProjectId } from '../../contract/ids.ts';
import { withAgentSpan } from '../../domain/feedback/agent-span.ts';
import { checkAnnotationValue } from '../../domain/feedback/annotation-value.ts';
import { checkFeedback } from '../../domain/feedback/check-feedback.ts';
import { feedbackKind } from '../../domain/feedback/feedback-kind.ts';
import { type FeedbackRow, toFeedbackRow } from '../../domain/feedback/feedback-row.ts';
import { completePayload } from '../../domain/feedback/payload.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { ascendingMicroseconds } from '../../util/ascending-time.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { projectIdsForWrite } from '../project-ids.ts';
import { type AnnotationSpecs, openAnnotationSpecs } from './annotation-specs.ts';
import { openQueueCheck } from './check-queue.ts';

type Stores = Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>;

/** Feedback to store; imported feedback already has a time. */
export type NewFeedback = FeedbackWire & { createdAt?: number };

/**
 * Checks feedback by the rules of its types and makes the rows to store. Writes nothing.
 * @throws Failure for the first invalid item
 */
export async function prepareFeedback(
  context: Stores,
  caller: Caller,
  items: NewFeedback[],
  newId: () => string,
): Promise<FeedbackRow[]> {
  const projectIds = await projectIdsForWrite(
    context.identity,
    caller,
    items.map((item) => item.project_id),
  );
  const specs = openAnnotationSpecs(context);
  const checkQueue = openQueueCheck(context.postgres);
  const rows: FeedbackRow[] = [];
  for (const item of items) {
    const projectId = projectIds.get(item.project_id)!;
    const feedback = withAgentSpan(await withClientsRefs(context.identity, caller, item));
    checkFeedback(feedback);
    const payload = completePayload(feedback.feedback_type, feedback.payload);
    await checkAnnotation(specs, projectId, feedback);
    await checkQueue(projectId, feedback.queue_id);
    const origin = {
      id: item.id ?? newId(),
      projectId,
      userId: caller.userId,
      createdAt: item.createdAt ?? ascendingMicroseconds(),
    };
    rows.push(toFeedbackRow(feedback, payload, origin));
  }
  return rows;
}

async function checkAnnotation(specs: AnnotationSpecs, projectId: ProjectId, feedback: FeedbackWire): Promise<void> {
  if (feedbackKind(feedback.feedback_type).kind !== 'annotation') return;
  const ref = feedback.annotation_ref!; // checked before
  checkAnnotationValue(feedback.payload.text, await specs.read(projectId, ref), ref);
}

const refFields = ['weave_ref', 'annotation_ref', 'runnable_ref', 'call_ref', 'trigger_ref'] as const;
const internalRef = /^weave-trace-internal:\/\/\/([^/]*)\/(.*)$/s;

/**
 * Refs are stored as clients write them; a ref with the internal id of a project is accepted from callers who may read
 * the project.
 */
async function withClientsRefs(identity: Identity, caller: Caller, feedback: FeedbackWire): Promise<FeedbackWire> {
  const changed = { ...feedback };
  for (const field of refFields) {
    const [, id, tail] = internalRef.exec(feedback[field] ?? '') ?? [];
    if (id === undefined) continue;
    const project = await identity.readableProjectName(caller, id);
    if (project === null) throw invalidInput('Encountered unexpected internal ref format.');
    changed[field] = `weave:///${project}/${tail}`;
  }
  return changed;
}
