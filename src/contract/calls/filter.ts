import { z } from 'zod';
import { documentedQuery } from '../query-language.ts';
import { anyJson, bool, optional } from '../wire.ts';

const texts = () => optional(z.array(z.string()));

/** Combined with AND; the entries of one list with OR. */
export const callsFilterSchema = z
  .object({
    op_names: texts(),
    input_refs: texts(),
    output_refs: texts(),
    parent_ids: texts(),
    trace_ids: texts(),
    call_ids: texts(),
    thread_ids: texts(),
    turn_ids: texts(),
    trace_roots_only: optional(bool()),
    topmost_calls_only: optional(bool()).meta({
      description:
        'Root calls and, of each trace whose root is not here, its topmost call. Not part of the reference API.',
    }),
    turns_only: optional(bool()).meta({
      description:
        'The turns of threads: calls whose `turn_id` is their own id, and topmost calls that have a thread and no turn. Not part of the reference API.',
    }),
    wb_user_ids: texts(),
    wb_run_ids: texts(),
  })
  .meta({ id: 'CallsFilter' });

export const sortBySchema = z.object({ field: z.string(), direction: z.enum(['asc', 'desc']) }).meta({ id: 'SortBy' });

/** `{"$expr": …}`, kept as text here: whether a literal was sent as `5` or `5.0` matters. `domain/query` parses it. */
export const querySchema = anyJson(documentedQuery);
