import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';
import { encoded, otlp } from './traces.ts';

const partialSuccess = z
  .object({ rejected_data_points: int(), error_message: z.string() })
  .meta({ id: 'ExportMetricsPartialSuccess' });

const answer = encoded(z.object({ partial_success: optional(partialSuccess) }).meta({ id: 'OTelMetricsExportRes' }));

export const otelMetrics = defineEndpoint({
  ...otlp,
  answer,
  path: '/otel/v1/metrics',
  name: 'Export Metrics',
  description:
    'Stores nothing: all data points are counted as rejected, so that exporters which send metrics too go on.',
});

/** The path that exporters use if only the address of the server is configured. */
export const standardMetrics = defineEndpoint({
  ...otlp,
  answer,
  path: '/v1/metrics',
  name: 'Export Metrics, at the standard path',
  description: otelMetrics.description,
});
