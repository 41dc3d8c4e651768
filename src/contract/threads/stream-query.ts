import { z } from 'zod';
import { sortBySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { bool, float, int, optional, rowCount, timestamp } from '../wire.ts';

const threadsFilterSchema = z
  .object({
    after_datetime: optional(timestamp()),
    before_datetime: optional(timestamp()),
    thread_ids: optional(z.array(z.string())),
    with_topmost_calls: optional(bool()).meta({
      description:
        'Also takes the topmost call of a trace whose root is not here as a turn, if it has a thread and no turn. Not part of the reference API.',
    }),
  })
  .meta({ id: 'ThreadsQueryFilter' });

export const threadsStreamQuery = defineEndpoint({
  method: 'POST',
  path: '/threads/stream_query',
  group: 'Threads',
  name: 'Threads Query Stream',
  description:
    'Streams threads with at least one finished turn, one JSON object a line, the last updated first. A turn is a call whose `turn_id` is its own id; the filter selects turns by when they started.',
  body: z
    .object({
      project_id: z.string(),
      filter: optional(threadsFilterSchema),
      limit: optional(rowCount()),
      offset: optional(rowCount()),
      sort_by: optional(z.array(sortBySchema)),
    })
    .meta({ id: 'ThreadsQueryReq' }),
  answer: {
    kind: 'lines',
    schema: z
      .object({
        thread_id: z.string(),
        turn_count: int(),
        start_time: timestamp(),
        last_updated: timestamp(),
        first_turn_id: z.string().nullable(),
        last_turn_id: z.string().nullable(),
        p50_turn_duration_ms: float().nullable(),
        p99_turn_duration_ms: float().nullable(),
      })
      .meta({ id: 'ThreadSchema' }),
    mediaType: 'application/x-ndjson',
  },
});
