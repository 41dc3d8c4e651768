import { z } from 'zod';
import { binary, defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';

/** Common settings of all endpoints of OTLP over HTTP. */
export const otlp = {
  method: 'POST' as const,
  takesData: true,
  group: 'OpenTelemetry',
  bytes: ['application/x-protobuf', 'application/json'],
  body: binary(),
};

const partialSuccess = z
  .object({ rejected_spans: int(), error_message: z.string() })
  .meta({ id: 'ExportTracePartialSuccess' });

const exportAnswer = encoded(z.object({ partial_success: optional(partialSuccess) }).meta({ id: 'OTelExportRes' }));

const agentAnswer = encoded(
  z
    .object({
      accepted_spans: int().default(0),
      rejected_spans: int().default(0),
      error_message: z.string().default(''),
    })
    .meta({ id: 'GenAIOTelExportRes' }),
);

/** In response to JSON, what Weave sends; to protobuf, the standard's message. */
export function encoded(json: z.ZodType) {
  return { kind: 'encoded' as const, content: { 'application/json': json, 'application/x-protobuf': binary() } };
}

export const routing =
  'The project is named by the resource attributes `wandb.entity` and `wandb.project`, else by the header `project_id`, ' +
  'else it is that of `service.name`, or `default`, of the default entity of the key.';

export const otelTraces = defineEndpoint({
  ...otlp,
  answer: exportAnswer,
  path: '/otel/v1/traces',
  name: 'Export Traces',
  description: `Takes spans of OpenTelemetry and shows each as a call. ${routing}`,
});

/** The path that exporters use if only the address of the server is configured. */
export const standardTraces = defineEndpoint({
  ...otlp,
  answer: exportAnswer,
  path: '/v1/traces',
  name: 'Export Traces, at the standard path',
  description: otelTraces.description,
});

export const agentTraces = defineEndpoint({
  ...otlp,
  answer: agentAnswer,
  path: '/agents/otel/v1/traces',
  name: 'Export Spans of Agents',
  description: `Takes the spans of agents, keeps them whole, and shows those as calls that no SDK traces itself. ${routing}`,
});
