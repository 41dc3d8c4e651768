import type { Context } from '../../context.ts';
import type * as contract from '../../contract/otel/logs.ts';
import type { Handler } from '../../http/bind.ts';
import { encodeLogRefusal, encodingOf, mediaTypes } from '../../otel/decode/export.ts';
import { readBody } from '../../otel/reader/read-body.ts';
import { projectHeader, routeGroups } from '../../services/spans/route-spans.ts';

/** Stores log records that are events of spans, and adds them to the calls of those spans; refuses all others. */
export function otelLogs({ config, identity, services: { spans } }: Context): Handler<typeof contract.otelLogs> {
  return async ({ body, caller, raw: { headers } }) => {
    const encoding = encodingOf(headers['content-type'] ?? '', body);
    const { groups, refused } = await readBody('logs', body, { encoding, redacts: config.redactCredentials });
    const reasons: string[] = refused > 0 ? [notGenAi(refused)] : [];
    let count = refused;
    const filled = groups.filter(({ events }) => events.length > 0);
    const routed = await routeGroups(filled, { identity, caller, header: projectHeader(headers) }, (group, reason) => {
      count += group.events.length;
      reasons.push(reason);
    });
    await spans.storeEvents(
      routed.flatMap(({ project, events }) => events.map((event) => ({ projectId: project.id, ...event }))),
    );
    const refusal = { count, message: reasons.join('; ') };
    const partial = count === 0 ? null : { rejected_log_records: count, error_message: refusal.message };
    const answer = encoding === 'json' ? JSON.stringify({ partial_success: partial }) : encodeLogRefusal(refusal);
    return { mediaType: mediaTypes[encoding], body: answer };
  };
}

function notGenAi(count: number): string {
  return `${count} log records are not events of GenAI spans: only those whose event name begins with 'gen_ai.' and that name a trace and a span are stored`;
}

/** The path that exporters use if only the address of the server is configured. */
export function standardLogs(context: Context): Handler<typeof contract.standardLogs> {
  const handle = otelLogs(context);
  return (input) => handle({ ...input });
}
