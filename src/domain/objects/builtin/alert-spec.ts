import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { JsonNumber } from '../../../util/json/lossless.ts';
import { baseObject } from './base-object.ts';
import { float, integer, model } from './fields.ts';

/** The condition under which a metric raises an alert. Unknown keys are kept, so that newer clients lose nothing. */
const thresholdSpec = model(
  'WeaveMetricThresholdSpec',
  {
    alert_condition: z.string().default('THRESHOLD'),
    source_type: z.enum(['calls', 'spans']).default('calls'),
    comparison_operator: z.enum(['GREATER_THAN', 'LESS_THAN', 'EQUAL']).default('GREATER_THAN'),
    metric_path: z.string().default(''),
    op_str: z.string().default(''),
    threshold: float().default(() => new JsonNumber('0.0')),
    window_size: optional(integer()),
    window_duration: optional(integer()),
    monitor_ref: optional(z.string()),
    scorer_ref: optional(z.string()),
    aggregation_function: z.enum(['mean', 'median', 'min', 'max', 'mode', 'percentage', 'count']).default('mean'),
    status_match_value: optional(z.string()),
  },
  { extra: 'keep' },
);

export const alertSpec = baseObject('AlertSpec', {
  op_scope: optional(z.array(z.string())),
  spec: z.preprocess((spec) => spec ?? {}, thresholdSpec),
});
