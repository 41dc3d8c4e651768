import type { Context } from '../../context.ts';
import type * as contract from '../../contract/otel/traces.ts';
import type { Handler, Input } from '../../http/bind.ts';
import type { EncodedAnswer } from '../../http/send.ts';
import { encodeRefusal, encodingOf, mediaTypes, type OtlpEncoding, type Refusal } from '../../otel/decode/export.ts';
import { readBody } from '../../otel/reader/read-body.ts';
import { projectHeader, type RoutedGroup, routeSpans } from '../../services/spans/route-spans.ts';

/** Stores spans as the calls that they are; what cannot be stored is counted in the answer. */
export function otelTraces(context: Context): Handler<typeof contract.otelTraces> {
  return async (input) => {
    const { groups, encoding, refused } = await receiveSpans(context, input);
    const unstored = await context.services.spans.store(groups, input.caller.userId);
    const refusal = refusalOf([...refused, ...unstored], context.log);
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
    const { groups, encoding, refused } = await receiveSpans(context, { ...input });
    const unstored = await context.services.spans.storeOfAgents(groups, input.caller.userId);
    const refusal = refusalOf([...refused, ...unstored], context.log);
    const { count, message } = refusal;
    const accepted = groups.reduce((sum, { spans }) => sum + spans.length, 0);
    return encodedAnswer(encoding, refusal, {
      accepted_spans: accepted,
      rejected_spans: count,
      error_message: message,
    });
  };
}

/**
 * Decodes an export and finds the project of each of its spans.
 * @throws ApiError 400 when the body cannot be read, 400 or 403 when none of its spans has a project.
 */
async function receiveSpans(
  { config, identity }: Pick<Context, 'config' | 'identity'>,
  { body, caller, raw: { headers } }: Input<typeof contract.otelTraces>,
): Promise<{ groups: RoutedGroup[]; encoding: OtlpEncoding; refused: string[] }> {
  const encoding = encodingOf(headers['content-type'] ?? '', body);
  const { groups, refused } = await readBody('traces', body, { encoding, redacts: config.redactCredentials });
  const routed = await routeSpans(groups, { identity, caller, header: projectHeader(headers) }, refused);
  return { groups: routed, encoding, refused };
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
