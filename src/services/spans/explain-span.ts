import { explainSpan, type SpanExplanation } from '../../otel/mapper/explain.ts';
import { parseRawSpan } from '../../otel/parse-raw-span.ts';
import { findSpans } from '../../store/clickhouse/calls/find/find-span.ts';
import { notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';

/**
 * Explains how a call of a project was made from its span. @throws Failure for an unknown call, or one not made from a
 * span
 */
export async function explainCall(
  { clickhouse }: Pick<Deps, 'clickhouse'>,
  project: Project,
  callId: string,
): Promise<SpanExplanation> {
  const [found] = await findSpans(clickhouse, callId, project.id);
  const span = found ? parseRawSpan(found.otelDump) : null;
  if (span !== null) return explainSpan(span);
  const why = found ? `Call ${callId} was not made of a span.` : `No call has the id ${callId}.`;
  throw notFound(`${why} Give the id of a call in ${project.name} that came by OpenTelemetry.`);
}

/** The same for each call with an id; there may be one in each project. @throws Failure */
export async function explainEverywhere(
  { clickhouse, identity }: Pick<Deps, 'clickhouse' | 'identity'>,
  callId: string,
): Promise<(SpanExplanation & { project: string })[]> {
  const explained = [];
  for (const { projectId, otelDump } of await findSpans(clickhouse, callId)) {
    const span = parseRawSpan(otelDump);
    const project = (await identity.projectName(projectId)) ?? projectId;
    if (span) explained.push({ project, ...explainSpan(span) });
  }
  if (explained.length > 0) return explained;
  throw notFound(`No call that was made of a span has the id ${callId}. Calls of spans have the span's id.`);
}
