import { defineEndpoint } from '../endpoint.ts';
import { tableQuerySchema, tableRowSchema } from './query.ts';

export const tableQueryStream = defineEndpoint({
  method: 'POST',
  path: '/table/query_stream',
  group: 'Tables',
  name: 'Table Query Stream',
  description: 'As `/table/query`, one row a line.',
  body: tableQuerySchema,
  answer: { kind: 'lines', schema: tableRowSchema, mediaType: 'application/jsonl' },
});
