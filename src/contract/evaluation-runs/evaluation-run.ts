import { z } from 'zod';
import { projectParams } from '../project.ts';
import { optional, optionalJsonObject, text, timestamp } from '../wire.ts';

export const path = '/v2/{entity}/{project}/evaluation_runs';
export const group = 'Evaluation runs';
export const runParams = projectParams.extend({ evaluation_run_id: text() });

export const runSchema = z
  .object({
    evaluation_run_id: z.string(),
    evaluation: z.string(),
    model: z.string(),
    status: optional(z.string()),
    started_at: optional(timestamp()),
    finished_at: optional(timestamp()),
    summary: optionalJsonObject(),
    source_evaluation_run_id: optional(z.string()),
  })
  .meta({ id: 'EvaluationRunReadRes' });
