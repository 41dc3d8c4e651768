import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';

export const callsScore = defineEndpoint({
  method: 'POST',
  path: '/calls/score',
  takesData: true,
  group: 'Scores',
  name: 'Calls Score',
  description:
    'Applies scorers to calls in the background: judges and rules, which need no code. Each score becomes a call of the ' +
    'scorer, and feedback on the scored call.',
  body: z
    .object({
      project_id: z.string(),
      call_ids: z.array(z.string()),
      scorer_refs: z.array(z.string()),
      wb_user_id: optional(z.string()),
    })
    .meta({ id: 'CallsScoreReq' }),
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'CallsScoreRes' }) },
});
