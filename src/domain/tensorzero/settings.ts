import { z } from 'zod';

/**
 * What a project keeps of a TensorZero configuration, in the published object of this name. A function is the policy of its name; what
 * a policy does not have is here: its schemas and tools, and the templates and parameters of its variants.
 */
export const settingsObject = 'tensorzero';

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null as never);
const schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);

const jsonModes = ['off', 'on', 'strict', 'tool'] as const;

/** Parameters of a request to a model, under TensorZero's names. */
const parameters = z.object({
  temperature: optional(z.number()),
  max_tokens: optional(z.int()),
  seed: optional(z.int()),
  top_p: optional(z.number()),
  presence_penalty: optional(z.number()),
  frequency_penalty: optional(z.number()),
  stop_sequences: optional(z.array(z.string())),
  reasoning_effort: optional(z.string()),
  json_mode: optional(z.enum(jsonModes)),
});

const tool = z.object({
  name: z.string(),
  description: z.string().default(''),
  parameters: schema,
  strict: z.boolean().default(false),
});

const toolChoice = z.union([z.enum(['none', 'off', 'auto', 'required']), z.object({ specific: z.string() }).strict()]);

const variant = z.object({
  /** Sources by the names of templates: `system`, `user`, `assistant`, or one that messages name. */
  templates: z.record(z.string(), z.string()).default({}),
  /** Templates that get the text of a message as `system_text`, `user_text` or `assistant_text`. */
  wrappers: z.array(z.string()).default([]),
  parameters: parameters.prefault({}),
});

const functionSettings = z.object({
  type: z.enum(['chat', 'json']),
  /** Of the arguments of templates, by their names. */
  schemas: z.record(z.string(), schema).default({}),
  output_schema: optional(schema),
  /** Names in `tools`. */
  tools: z.array(z.string()).default([]),
  tool_choice: optional(toolChoice),
  parallel_tool_calls: optional(z.boolean()),
  variants: z.record(z.string(), variant).default({}),
});

const metric = z.object({
  type: z.enum(['boolean', 'float']),
  optimize: z.enum(['min', 'max']).default('max'),
  level: z.enum(['inference', 'episode']).default('inference'),
});

export const tensorZeroSettings = z.object({
  functions: z.record(z.string(), functionSettings).default({}),
  tools: z.record(z.string(), tool).default({}),
  metrics: z.record(z.string(), metric).default({}),
  /** heddle's names of models, by TensorZero's. */
  models: z.record(z.string(), z.string()).default({}),
});

export type TensorZeroSettings = z.output<typeof tensorZeroSettings>;
export type FunctionSettings = z.output<typeof functionSettings>;
export type VariantSettings = z.output<typeof variant>;
export type Parameters = z.output<typeof parameters>;
export type Tool = z.output<typeof tool>;
export type ToolChoice = z.output<typeof toolChoice>;

/** A function with no settings of its own: any policy can be called as one. */
export const plainFunction: FunctionSettings = functionSettings.parse({ type: 'chat' });
export const plainVariant: VariantSettings = variant.parse({});

/** heddle's name of a model: the one that is set, or of a provider: `openai::gpt-4o` is `openai/gpt-4o`. */
export function modelNamed(settings: Pick<TensorZeroSettings, 'models'>, name: string): string {
  if (Object.hasOwn(settings.models, name)) return settings.models[name]!;
  const [, provider, model] = /^([a-z0-9_]+)::(.+)$/s.exec(name) ?? [];
  return provider === undefined || provider === 'custom' ? name : `${providerNamed(provider)}/${model}`;
}

/** heddle's name of a provider. */
export function providerNamed(name: string): string {
  return name === 'google_ai_studio_gemini' ? 'gemini' : name;
}

/** Whether the source of a template has anything to render. */
export function isTemplate(source: string): boolean {
  return /\{[{%#]/.test(source);
}
