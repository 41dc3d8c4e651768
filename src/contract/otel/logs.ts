import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';
import { encoded, otlp, routing } from './traces.ts';

const partialSuccess = z
  .object({ rejected_log_records: int(), error_message: z.string() })
  .meta({ id: 'ExportLogsPartialSuccess' });

const answer = encoded(z.object({ partial_success: optional(partialSuccess) }).meta({ id: 'OTelLogsExportRes' }));

export const otelLogs = defineEndpoint({
  ...otlp,
  answer,
  path: '/otel/v1/logs',
  name: 'Export Logs',
  description:
    'Takes log records that are events of GenAI spans (their name begins with `gen_ai.`) and adds each to the call of its ' +
    `span, whichever of the two comes first. Other records are counted as rejected. ${routing}`,
});

/** The path that exporters use if only the address of the server is configured. */
export const standardLogs = defineEndpoint({
  ...otlp,
  answer,
  path: '/v1/logs',
  name: 'Export Logs, at the standard path',
  description: otelLogs.description,
});
