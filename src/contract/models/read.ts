import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';
import { servedModel } from './model.ts';

const about = {
  method: 'GET',
  group: 'Served models',
  description: 'One served model. A name with a slash may be sent as it is, or with `%2F`, or with `-` in its place.',
  answer: { kind: 'json', schema: servedModel },
} as const;

export const modelRead = defineEndpoint({
  ...about,
  path: '/v1/models/{name}',
  name: 'Read Model',
  params: z.object({ name: text() }),
});

/** A router sees `owner/name` as two segments. */
export const modelReadInTwoParts = defineEndpoint({
  ...about,
  path: '/v1/models/{owner}/{name}',
  name: 'Read Model Of Owner',
  params: z.object({ owner: text(), name: text() }),
});
