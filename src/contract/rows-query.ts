import { z } from 'zod';
import { querySchema, sortBySchema } from './calls/filter.ts';
import { optional, rowCount } from './wire.ts';

/** Selects rows of a project: which rows, which fields of them, in which order, which page. */
export const rowsQuery = {
  project_id: z.string(),
  fields: optional(z.array(z.string())),
  query: optional(querySchema),
  sort_by: optional(z.array(sortBySchema)),
  limit: optional(rowCount()),
  offset: optional(rowCount()),
};
