import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

const explanation = z
  .object({
    fields: z.array(z.object({ field: z.string(), key: z.string(), rule: z.string(), value: z.string() })),
    passed_over: z.array(z.string()),
    unread: z.array(z.string()),
  })
  .meta({ id: 'SpanExplanation' });

export const spanExplain = defineEndpoint({
  method: 'POST',
  path: '/otel/spans/explain',
  group: 'OpenTelemetry',
  name: 'Explain Span',
  description:
    'Says how a call came from its span: which key became which field, by what convention; which keys were passed over for ' +
    'another, and which nobody reads. 404 for a call that is not there or was not made of a span.',
  body: z.object({ project_id: z.string(), id: z.string() }).meta({ id: 'SpanExplainReq' }),
  answer: { kind: 'json', schema: explanation },
});
