import type { Context } from '../../context.ts';
import type * as contract from '../../contract/otel/logs.ts';
import type { Handler } from '../../http/bind.ts';
import { encodeLogRefusal, encodingOf, mediaTypes } from '../../otel/decode/export.ts';
import { readBody } from '../../otel/reader/read-body.ts';
import { projectHeader } from '../../services/spans/route-spans.ts';

/** Stores log records that are events of spans, and adds them to the calls of those spans; refuses all others. */
export function otelLogs({ config, services: { spans } }: Context): Handler<typeof contract.otelLogs> {
  return async ({ body, caller, raw: { headers } }) => {
    const encoding = encodingOf(headers['content-type'] ?? '', body);
    const { groups, refused } = await readBody('logs', body, { encoding, redacts: config.redactCredentials });
    const stored = await spans.storeEvents(groups, { caller, header: projectHeader(headers) });
    const count = refused + stored.refused;
    const message = [...(refused > 0 ? [notGenAi(refused)] : []), ...stored.reasons].join('; ');
    const refusal = { count, message };
    const partial = count === 0 ? null : { rejected_log_records: count, error_message: message };
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
