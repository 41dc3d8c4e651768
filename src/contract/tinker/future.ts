import { z } from 'zod';
import { binary, defineEndpoint } from '../endpoint.ts';
import { bool } from '../wire.ts';
import { emptyAnswer, id, tinker } from './shared.ts';

export const tinkerFutureRetrieve = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/retrieve_future',
  name: 'Retrieve Tinker Result',
  description:
    'Waits for the result of a request: JSON, or protobuf for forward passes and samples if `Accept` names it. 408 with ' +
    '`"type": "try_again"` if it is still under way after a while, and 410 if it is not known any more.',
  body: z.object({ request_id: id, allow_metadata_only: bool().default(false) }),
  answer: {
    kind: 'encoded',
    content: { 'application/json': z.looseObject({}).meta({ id: 'TinkerResult' }), 'application/x-protobuf': binary() },
  },
});

export const tinkerFutureCancel = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/cancel_future',
  name: 'Cancel Tinker Request',
  description: 'Stops a request that is under way.',
  body: z.object({ request_id: id }),
  answer: { kind: 'json', schema: emptyAnswer },
});
