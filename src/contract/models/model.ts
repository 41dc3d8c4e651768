import { z } from 'zod';
import { optional } from '../wire.ts';

/** A model as `/v1/models` shows it: OpenAI's keys, and those vLLM adds. */
export const servedModel = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    /** Seconds since 1970. */
    created: z.int(),
    owned_by: z.string(),
    /** Where it was pulled from. */
    root: z.string(),
    /** The base model of an adapter. */
    parent: optional(z.string()),
    max_model_len: z.int(),
  })
  .meta({ id: 'ServedModel' });

export type ServedModel = z.output<typeof servedModel>;
