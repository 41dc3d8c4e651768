import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { baseObject } from './base-object.ts';
import { anyObject, flag, integer, model } from './fields.ts';

/** A saved view of calls or evaluations, with a name. */

const texts = () => optional(z.array(z.string()));
const text = () => optional(z.string());

const callsFilter = model(
  'CallsFilter',
  {
    op_names: texts(),
    input_refs: texts(),
    output_refs: texts(),
    parent_ids: texts(),
    trace_ids: texts(),
    call_ids: texts(),
    thread_ids: texts(),
    turn_ids: texts(),
    trace_roots_only: optional(flag()),
    wb_user_ids: texts(),
    wb_run_ids: texts(),
  },
  { extra: 'forbid' },
);

const column = model('Column', {
  path: optional(z.array(z.union([z.string(), integer()]))),
  label: text(),
});

const pin = model('Pin', { left: z.array(z.string()), right: z.array(z.string()) });

const sortBy = model('SortBy', { field: z.string(), direction: z.enum(['asc', 'desc']) }, { extra: 'forbid' });

const chartConfig = model('ChartConfig', {
  x_axis: z.string(),
  y_axis: z.string(),
  plot_type: optional(z.enum(['scatter', 'line', 'bar'])),
  bin_count: optional(integer()),
  aggregation: optional(z.enum(['average', 'sum', 'min', 'max', 'p95', 'p99'])),
  group_keys: texts(),
  custom_name: text(),
});

const versionGroup = model('ObjectVersionGroup', {
  label: z.string(),
  base_ref: z.string(),
  versions: z.union([z.array(z.string()), z.literal('*')]),
  show_version_indicator: flag(),
});

const objectConfig = model('ObjectConfig', {
  version_groups: optional(z.array(versionGroup)),
  display_name_map: optional(z.record(z.string(), z.string())),
  deselected: texts(),
});

const leaderboardColumn = model('DynamicLeaderboardColumnConfig', {
  evaluation_object_ref: text(),
  scorer_name: text(),
  display_name: text(),
  summary_metric_path: text(),
  should_minimize: optional(flag()),
  deselected: optional(flag()),
});

const dynamicLeaderboard = model('DynamicLeaderboardConfig', {
  model_configuration: optional(objectConfig),
  dataset_configuration: optional(objectConfig),
  scorer_configuration: optional(objectConfig),
  columns_configuration: optional(z.array(leaderboardColumn)),
});

export const savedView = baseObject('SavedView', {
  view_type: z.string(),
  label: z.string(),
  definition: model('SavedViewDefinition', {
    filter: optional(callsFilter),
    query: optional(anyObject()),
    cols: optional(z.record(z.string(), flag())),
    columns: optional(z.array(column)),
    column_order: texts(),
    expand_columns: texts(),
    header_depth: optional(integer()),
    pin: optional(pin),
    sort_by: optional(z.array(sortBy)),
    page: optional(integer()),
    page_size: optional(integer()),
    charts: optional(z.array(chartConfig)),
    dataset_selector: text(),
    evaluation_selector: text(),
    dynamic_leaderboard_config: optional(dynamicLeaderboard),
  }),
});

export const comparisonView = baseObject('ComparisonView', {
  label: z.string(),
  definition: model('ComparisonViewDefinition', {
    evaluation_call_ids: z.array(z.string()),
    selected_metrics: texts(),
    column_visibility: optional(z.record(z.string(), flag())),
  }),
});
