import { notFound } from '../contract/errors.ts';
import type { ProjectId } from '../contract/ids.ts';
import type { Identity } from '../identity/identity.ts';
import { explainSpan, type SpanExplanation } from '../otel/mapper/explain.ts';
import { parseRawSpan } from '../otel/parse-raw-span.ts';
import { findSpans } from '../store/clickhouse/calls/find-span.ts';
import type { ClickHouse } from '../store/clickhouse/clickhouse.ts';

/** How each call of an id came from its span; there may be one in each project. */
export async function explainSpans(
  { clickhouse, identity }: { clickhouse: ClickHouse; identity: Identity },
  callId: string,
): Promise<(SpanExplanation & { project: string })[]> {
  const explained = [];
  for (const { projectId, otelDump } of await findSpans(clickhouse, callId)) {
    const span = parseRawSpan(otelDump);
    const project = (await identity.projectName(projectId as ProjectId)) ?? projectId;
    if (span) explained.push({ project, ...explainSpan(span) });
  }
  if (explained.length > 0) return explained;
  throw notFound(`No call that was made of a span has the id ${callId}. Calls of spans have the span's id.`);
}
