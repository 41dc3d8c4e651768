import { z } from 'zod';

/** What can be made of many values. */
export const aggregationSchema = z
  .enum(['sum', 'avg', 'min', 'max', 'count', 'count_true', 'count_false'])
  .meta({ id: 'AggregationType' });

export type Aggregation = z.output<typeof aggregationSchema>;
