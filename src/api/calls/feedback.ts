import type { Context } from '../../context.ts';
import type { ProjectId } from '../../contract/ids.ts';
import type { WeaveExtras } from '../../domain/calls/call-json.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { feedbackOfCalls } from '../../store/clickhouse/feedback/feedback-of-calls.ts';

type Body = { project_id: string; include_feedback: boolean | null };

/** Reads the feedback on a page of calls, in one query; nothing where it is not wanted. */
export function openFeedback({ clickhouse }: Pick<Context, 'clickhouse'>, projectId: ProjectId, body: Body) {
  return async (calls: FoundCall[]): Promise<(call: FoundCall) => WeaveExtras> => {
    if (!body.include_feedback) return () => ({});
    const ids = calls.map(({ id }) => id);
    const found = await feedbackOfCalls(clickhouse, { projectId, projectName: body.project_id, ids });
    return ({ id }) => ({ feedback: found.get(id) ?? '[]' });
  };
}
