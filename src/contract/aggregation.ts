import { z } from 'zod';

/** How values can be aggregated. */
export const aggregationSchema = z
  .enum(['sum', 'avg', 'min', 'max', 'count', 'count_true', 'count_false'])
  .meta({ id: 'AggregationType' });
