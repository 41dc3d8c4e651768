import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optional, rowCount } from '../wire.ts';
import { callSchema } from './call.ts';
import { callsFilterSchema, querySchema, sortBySchema } from './filter.ts';

const flag = (value: boolean) => bool().nullable().default(value);

const answeredCall = callSchema
  .extend({
    /** One line each of the call's input and output, if the request has `include_previews`. */
    preview: z.object({ input: z.string(), output: z.string() }).optional(),
  })
  .meta({ id: 'CallsQueryRes' });

export const callsStreamQuery = defineEndpoint({
  method: 'POST',
  path: '/calls/stream_query',
  group: 'Calls',
  name: 'Calls Query Stream',
  description: 'Streams calls, one JSON object a line. Without `sort_by` the oldest comes first.',
  body: z
    .object({
      project_id: z.string(),
      filter: optional(callsFilterSchema),
      limit: optional(rowCount()),
      offset: optional(rowCount()),
      latest_only: bool().default(false),
      sort_by: optional(z.array(sortBySchema)),
      query: optional(querySchema),
      include_costs: flag(false),
      include_feedback: flag(false),
      include_storage_size: flag(false),
      include_total_storage_size: flag(false),
      include_usernames: flag(false),
      /** An extension of heddle: adds `preview` to each call. */
      include_previews: flag(false),
      columns: optional(z.array(z.string())),
      expand_columns: optional(z.array(z.string())),
      return_expanded_column_values: flag(true),
    })
    .meta({ id: 'CallsQueryReq' }),
  answer: { kind: 'lines', schema: answeredCall, mediaType: 'application/jsonl' },
});
