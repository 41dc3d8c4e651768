import { z } from 'zod';
import { described, resource } from './resource.ts';

export const scorers = resource('scorers', {
  noun: 'Scorer',
  body: { ...described, op_source_code: z.string() },
  created: { scorer: z.string() },
  read: { ...described, score_op: z.string() },
});
