import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { baseObject } from './base-object.ts';
import { flag, model } from './fields.ts';

const column = model('LeaderboardColumn', {
  evaluation_object_ref: z.string(),
  scorer_name: z.string(),
  summary_metric_path: z.string(),
  should_minimize: optional(flag()),
});

export const leaderboard = baseObject('Leaderboard', { columns: z.array(column) });
