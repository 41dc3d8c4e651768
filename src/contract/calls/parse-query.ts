import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { jsonObject } from '../wire.ts';

export const callsParseQuery = defineEndpoint({
  method: 'POST',
  path: '/calls/parse_query',
  group: 'Calls',
  name: 'Calls Parse Query',
  description:
    'Reads a condition as people type it, such as `refund status:error latency_ms>500 (inputs.user="ada" or not output~sorry)`, ' +
    'into the `query` that other requests take. `:` and `=` mean equal, `~` contains; words without an operator are looked ' +
    'for in inputs, outputs, names and exceptions. A dot in a path may be part of a key: `attributes.user.id` also finds the ' +
    'key `user.id`. `attributes["user.id"]` finds only this key. An error says where the text cannot be read.',
  body: z.object({ text: z.string() }).meta({ id: 'CallsParseQueryReq' }),
  answer: { kind: 'json', schema: z.object({ query: jsonObject() }).meta({ id: 'CallsParseQueryRes' }) },
});
