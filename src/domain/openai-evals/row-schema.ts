import type { DataSourceConfig, NewDataSourceConfig } from '../../contract/openai-evals/eval.ts';

/** The configuration as it is answered: with the schema of the whole row. */
export function withRowSchema(config: NewDataSourceConfig): DataSourceConfig {
  if (config.type !== 'custom') {
    const schema = rowSchema(chatSchema, true);
    return { type: config.type, schema, ...(config.metadata ? { metadata: config.metadata } : {}) };
  }
  return { type: 'custom', schema: rowSchema(config.item_schema, config.include_sample_schema ?? false) };
}

/** The schema that items must match; null if they may be any objects. */
export function itemSchema({ type, schema }: DataSourceConfig): Record<string, unknown> | null {
  const { item } = schema.properties as { item: Record<string, unknown> }; // as `withRowSchema` makes it
  return type === 'custom' ? item : null;
}

function rowSchema(item: Record<string, unknown>, hasSample: boolean): Record<string, unknown> {
  return {
    type: 'object',
    properties: { item, ...(hasSample ? { sample: sampleSchema } : {}) },
    required: ['item', ...(hasSample ? ['sample'] : [])],
  };
}

/** What a stored chat is as an item. */
const chatSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    model: { type: 'string' },
    input: { type: 'array', items: { type: 'object' } },
    output: { type: ['object', 'null'] },
    tools: { type: 'array' },
    metadata: { type: 'object' },
    created_at: { type: 'integer' },
  },
  required: ['id', 'model', 'input'],
};

const sampleSchema = {
  type: 'object',
  properties: {
    model: { type: 'string' },
    output_text: { type: 'string' },
    output_json: {},
    output_tools: { type: 'array' },
    choices: { type: 'array' },
    input_tools: { type: 'array' },
  },
  required: ['model', 'choices'],
};
