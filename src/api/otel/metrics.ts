import type * as contract from '../../contract/otel/metrics.ts';
import type { Handler } from '../../http/bind.ts';
import { encodeMetricRefusal, encodingOf, mediaTypes } from '../../otel/decode/export.ts';
import { readBody } from '../../otel/reader/read-body.ts';

/** Refuses all data points, in the way that tells exporters not to send them again. */
export function otelMetrics(): Handler<typeof contract.otelMetrics> {
  return async ({ body, raw: { headers } }) => {
    const encoding = encodingOf(headers['content-type'] ?? '', body);
    const count = await readBody('metrics', body, { encoding, redacts: true });
    const refusal = { count, message: count === 0 ? '' : 'Metrics are not stored. Send traces and logs only.' };
    const partial = count === 0 ? null : { rejected_data_points: count, error_message: refusal.message };
    const answer = encoding === 'json' ? JSON.stringify({ partial_success: partial }) : encodeMetricRefusal(refusal);
    return { mediaType: mediaTypes[encoding], body: answer };
  };
}

/** The path that exporters use if only the address of the server is configured. */
export function standardMetrics(): Handler<typeof contract.standardMetrics> {
  const handle = otelMetrics();
  return (input) => handle({ ...input });
}
