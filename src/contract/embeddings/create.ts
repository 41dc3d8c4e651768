import { z } from 'zod';
import { optionalInt64 } from '../chat/numbers.ts';
import { defineEndpoint } from '../endpoint.ts';
import { prompts } from '../text-completions/prompts.ts';
import { bool, int, optional } from '../wire.ts';

const embeddingRequest = z
  .object({
    input: prompts('input'),
    model: optional(z.string()),
    encoding_format: z.enum(['float', 'base64']).default('float'),
    /** Rejected: the served models are not trained for vectors of other lengths. */
    dimensions: optional(int()),
    /** Which states become the vector: that of the last token, or the mean of all. */
    pooling: z.enum(['last', 'mean']).default('last'),
    /** Whether vectors are scaled to length 1. */
    normalize: bool().default(true),
    add_special_tokens: bool().default(true),
    truncate_prompt_tokens: optionalInt64(-1n).transform((tokens) => (tokens === null ? null : Number(tokens))),
    priority: int().default(0),
    request_id: z.string().optional(),
    user: optional(z.string()),
  })
  .meta({ id: 'EmbeddingRequest' });

const embeddingList = z
  .object({
    id: z.string(),
    object: z.literal('list'),
    /** Seconds since 1970. */
    created: z.int(),
    model: z.string(),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        /** Numbers, or with `base64` their bytes as little-endian 32-bit floats. */
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'EmbeddingList' });

export const embeddingsCreate = defineEndpoint({
  method: 'POST',
  path: '/v1/embeddings',
  aliases: ['/v1/embeddings/'],
  group: 'Embeddings',
  name: 'Create Embeddings',
  description:
    'Embeds texts, or lists of token ids, with a served model: the states after its last layer, of the last token or as the ' +
    'mean of all (`pooling`), scaled to length 1. The request is kept as a call without the vectors, and headers are read, as ' +
    'for `/v1/chat/completions`.',
  strictJson: true,
  keepsBytes: true,
  errors: 'openai',
  body: embeddingRequest,
  answer: { kind: 'json', schema: embeddingList },
});
