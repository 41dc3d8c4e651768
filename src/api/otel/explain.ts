import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type { spanExplain } from '../../contract/otel/explain.ts';
import type { Handler } from '../../http/bind.ts';
import { explainSpan } from '../../otel/mapper/explain.ts';
import { parseRawSpan } from '../../otel/parse-raw-span.ts';
import { findSpans } from '../../store/clickhouse/calls/find-span.ts';

export function explainSpanOfCall({ identity, clickhouse }: Context): Handler<typeof spanExplain> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const [found] = await findSpans(clickhouse, body.id, projectId);
    const span = found ? parseRawSpan(found.otelDump) : null;
    if (span === null) {
      const why = found ? `Call ${body.id} was not made of a span.` : `No call has the id ${body.id}.`;
      throw notFound(`${why} Give the id of a call in ${body.project_id} that came by OpenTelemetry.`);
    }
    const { fields, passedOver, unread } = explainSpan(span);
    return { fields, passed_over: passedOver, unread };
  };
}
