import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/payload-schema.ts';
import { timeRange } from '../../domain/stats/time-range.ts';
import type { Handler } from '../../http/bind.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';

export function feedbackPayloadSchema({
  identity,
  services: { feedback },
}: Context): Handler<typeof contract.feedbackPayloadSchema> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const paths = await feedback.payloadPaths({
      projectId,
      range: timeRange(body.start, body.end ?? nowMicroseconds()),
      feedbackType: body.feedback_type,
      triggerRef: body.trigger_ref,
      limit: body.sample_limit,
    });
    return { paths };
  };
}
