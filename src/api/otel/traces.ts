import type { Context } from '../../context.ts';
import type * as contract from '../../contract/otel/traces.ts';
import type { Handler, Input } from '../../http/bind.ts';
import type { EncodedAnswer } from '../../http/send.ts';
import { encodeRefusal, encodingOf, mediaTypes, type OtlpEncoding, type Refusal } from '../../otel/decode/export.ts';
import type { ReadExport } from '../../otel/read-export.ts';
import { readBody } from '../../otel/reader/read-body.ts';
import { projectHeader, type Sender } from '../../services/spans/route-spans.ts';

/** Stores spans as the calls that they are; what cannot be stored is counted in the answer. */
export function otelTraces(context: Context): Handler<typeof contract.otelTraces> {
  return async (input) => {
    const { groups, sender, encoding, refused } = await receiveSpans(context, input);
    const stored = await context.services.spans.store(groups, sender);
    const refusal = refusalOf([...refused, ...stored.refused], context.log);
    const { count, message } = refusal;
    const partial = count === 0 ? null : { rejected_spans: count, error_message: message };
    return encodedAnswer(encoding, refusal, { partial_success: partial });
  };
}

/** The path that exporters use if only the address of the server is configured. */
export function standardTraces(context: Context): Handler<typeof contract.standardTraces> {
  const handle = otelTraces(context);
  return (input) => handle({ ...input });
}

export function agentTraces(context: Context): Handler<typeof contract.agentTraces> {
  return async (input) => {
    const { groups, sender, encoding, refused } = await receiveSpans(context, { ...input });
    const stored = await context.services.spans.storeOfAgents(groups, sender);
    const refusal = refusalOf([...refused, ...stored.refused], context.log);
    const { count, message } = refusal;
    return encodedAnswer(encoding, refusal, {
      accepted_spans: stored.routed,
      rejected_spans: count,
      error_message: message,
    });
  };
}

/** Decodes an export. @throws ApiError 400 when the body cannot be read */
async function receiveSpans(
  { config }: Pick<Context, 'config'>,
  { body, caller, raw: { headers } }: Input<typeof contract.otelTraces>,
): Promise<ReadExport & { sender: Sender; encoding: OtlpEncoding }> {
  const encoding = encodingOf(headers['content-type'] ?? '', body);
  const read = await readBody('traces', body, { encoding, redacts: config.redactCredentials });
  return { ...read, sender: { caller, header: projectHeader(headers) }, encoding };
}

/** In the encoding of the request; JSON has a shape of its own for each endpoint. */
function encodedAnswer(encoding: OtlpEncoding, refusal: Refusal, json: object): EncodedAnswer {
  const body = encoding === 'json' ? JSON.stringify(json) : encodeRefusal(refusal);
  return { mediaType: mediaTypes[encoding], body };
}

const messagesMax = 20;

/** What is answered of refused spans. The log has their number alone: names and reasons quote what was sent. */
function refusalOf(refused: string[], log: Context['log']): Refusal {
  const message = refused.slice(0, messagesMax).join('; ') + (refused.length > messagesMax ? '; ...' : '');
  if (refused.length > 0) log.warn({ refused: refused.length }, 'rejected spans of an export');
  return { count: refused.length, message };
}
