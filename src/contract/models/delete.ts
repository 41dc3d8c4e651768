import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';

const about = {
  method: 'DELETE',
  group: 'Served models',
  description:
    'Deletes a fine-tuned model with its checkpoints, or stops serving an adapter. A name with a slash may be sent as it ' +
    'is, or with `%2F`.',
  errors: 'openai',
  answer: {
    kind: 'json',
    schema: z
      .object({ id: z.string(), object: z.literal('model'), deleted: z.literal(true) })
      .meta({ id: 'ModelDeleted' }),
  },
} as const;

export const modelDelete = defineEndpoint({
  ...about,
  path: '/v1/models/{name}',
  name: 'Delete Model',
  params: z.object({ name: text() }),
});

/** A router sees `owner/name` as two segments. */
export const modelDeleteInTwoParts = defineEndpoint({
  ...about,
  path: '/v1/models/{owner}/{name}',
  name: 'Delete Model Of Owner',
  params: z.object({ owner: text(), name: text() }),
});
