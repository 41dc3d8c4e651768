import type { Context } from '../../context.ts';
import type { feedbackPayloadSchema } from '../../contract/feedback/payload-schema.ts';
import { payloadPaths } from '../../domain/feedback/payload-paths.ts';
import { timeRange } from '../../domain/stats/time-range.ts';
import type { Handler } from '../../http/bind.ts';
import { samplePayloads } from '../../store/clickhouse/feedback/sample-payloads.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';

export function describePayloads(
  context: Pick<Context, 'clickhouse' | 'identity'>,
): Handler<typeof feedbackPayloadSchema> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const payloads = await samplePayloads(context.clickhouse, {
      projectId,
      range: timeRange(body.start, body.end ?? nowMicroseconds()),
      feedbackType: body.feedback_type,
      triggerRef: body.trigger_ref,
      limit: body.sample_limit,
    });
    return { paths: payloadPaths(payloads) };
  };
}
