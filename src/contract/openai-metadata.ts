import { z } from 'zod';

/** Up to 16 strings by name, as in OpenAI's objects. */
export const openaiMetadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, {
    error: 'Input should have at most 16 keys',
    params: { type: 'value_error' },
  });
