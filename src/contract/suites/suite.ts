import { z } from 'zod';
import { projectParams } from '../project.ts';
import { float, int, text, timestamp } from '../wire.ts';
import { matchFields } from './match.ts';

export const path = '/v2/{entity}/{project}/suites';
export const group = 'Suites';
export const suiteParams = projectParams.extend({ suite: text() });

export const suitePurpose = z.enum(['gate', 'held_out']);

export const suiteSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** `gate`: candidates are compared on its rows; `held_out`: its rows are only kept out of training. */
    purpose: suitePurpose,
    /** The version of the dataset, by its digest. */
    dataset: z.string(),
    row_count: int(),
    /** The column that names a row's thread; null if each row is a thread of its own. */
    thread_column: z.string().nullable(),
    /** The probability of a wrong promotion that all candidates of the suite share. */
    alpha: float(),
    frozen_by: z.string(),
    frozen_at: timestamp(),
    /** The comparison with what the jobs of the project trained on before. */
    scan: z
      .object({
        status: z.enum(['waiting', 'running', 'done', 'failed']),
        jobs: int(),
        done: int(),
        /** Jobs of which no data is left that could be compared. */
        unread: int(),
        error: z.string().nullable(),
      })
      .meta({ id: 'SuiteScan' }),
  })
  .meta({ id: 'Suite' });

/** A suite with the rows that models were trained on. */
export const suiteWithOverlapsSchema = suiteSchema
  .extend({
    /** How many rows of the suite jobs have trained on, as copies or siblings. */
    rows_trained_on: int(),
    /** The first of them, once for each job. */
    overlaps: z.array(z.object({ job_id: z.string(), model: z.string(), ...matchFields }).meta({ id: 'SuiteOverlap' })),
  })
  .meta({ id: 'SuiteWithOverlaps' });
