import { z } from 'zod';
import { anyJson, optional } from '../wire.ts';

export const path = '/v2/{entity}/{project}/scores';
export const group = 'Scores';

export const scoreSchema = z
  .object({
    score_id: z.string(),
    scorer: z.string(),
    value: anyJson(),
    evaluation_run_id: optional(z.string()),
    wb_user_id: optional(z.string()),
  })
  .meta({ id: 'ScoreReadRes' });
