/** The tables of TensorZero that are imported, under their names in ClickHouse. */
export const tables = [
  'ChatInference',
  'JsonInference',
  'ModelInference',
  'BooleanMetricFeedback',
  'FloatMetricFeedback',
  'CommentFeedback',
  'DemonstrationFeedback',
  'ChatInferenceDatapoint',
  'JsonInferenceDatapoint',
] as const;

export type Table = (typeof tables)[number];

/** In PostgreSQL, the payloads of inferences have tables of their own, with the same ids. */
export type RowKind =
  | Table
  | 'head of an inference'
  | 'head of a model inference'
  | 'payload of an inference'
  | 'payload of a model inference';

export type Columns = Record<string, unknown>;

/** The table of a row, by its columns; null if it is of no table that is imported. */
export function kindOfRow(row: Columns): RowKind | null {
  const has = (...names: string[]) => names.every((name) => Object.hasOwn(row, name));
  if (has('dataset_name', 'function_name', 'input'))
    return has('output_schema') ? 'JsonInferenceDatapoint' : 'ChatInferenceDatapoint';
  if (has('inference_id', 'model_name', 'model_provider_name'))
    return has('output') ? 'ModelInference' : 'head of a model inference';
  if (has('raw_response', 'output', 'input_messages')) return 'payload of a model inference';
  if (has('target_id', 'metric_name', 'value'))
    return isBoolean(row.value) ? 'BooleanMetricFeedback' : 'FloatMetricFeedback';
  if (has('target_id', 'target_type', 'value')) return 'CommentFeedback';
  if (has('inference_id', 'value')) return 'DemonstrationFeedback';
  if (has('function_name', 'variant_name', 'episode_id')) {
    if (!has('input', 'output')) return 'head of an inference';
    return has('output_schema') ? 'JsonInference' : 'ChatInference';
  }
  return has('id', 'input', 'output', 'inference_params') ? 'payload of an inference' : null;
}

/** PostgreSQL writes t and f. */
function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean' || ['t', 'f', 'true', 'false'].includes(String(value));
}
