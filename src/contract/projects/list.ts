import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, timestamp } from '../wire.ts';

export const projectsList = defineEndpoint({
  method: 'GET',
  path: '/projects',
  group: 'Projects',
  name: 'Projects List',
  description:
    'The projects that the caller can read, with their activity, the last active first. `daily_traces` and `daily_errors` ' +
    'count the traces that started, and those that failed, on each of the last 14 days (UTC), the oldest first.',
  answer: {
    kind: 'json',
    schema: z
      .object({
        projects: z.array(
          z
            .object({
              project_id: z.string(),
              entity: z.string(),
              project: z.string(),
              created_at: timestamp(),
              last_trace_at: optional(timestamp()),
              daily_traces: z.array(int()),
              daily_errors: z.array(int()),
            })
            .meta({ id: 'ProjectActivity' }),
        ),
      })
      .meta({ id: 'ProjectsListRes' }),
  },
});
