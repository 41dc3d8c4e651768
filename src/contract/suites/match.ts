import { z } from 'zod';
import { float, int } from '../wire.ts';

/** How training data matches a row of a suite, the strongest match first. */
export const matchFields = {
  /** Of the suite's dataset, from 0. */
  row: int(),
  kind: z.enum(['exact', 'near', 'contained', 'sibling']),
  /** 1 if all is the same; null for siblings. */
  similarity: float().nullable(),
  /** Of the training data, from 1: a line or, in reinforcement learning, a trajectory. Null where only the call is known. */
  line: int().nullable(),
  call_id: z.string().nullable(),
};

/** A row of a suite that training data matches. */
export const suiteMatch = z.object({ suite: z.string(), ...matchFields }).meta({ id: 'SuiteMatch' });
