import { checkPlan } from '../../domain/policies/check-plan.ts';
import type { PolicyPlan, PolicyScorer } from '../../domain/policies/plan.ts';
import { objectIdOf } from '../../domain/resources/object-id.ts';
import {
  isTemplate,
  modelNamed,
  providerNamed,
  type TensorZeroSettings,
  tensorZeroSettings,
} from '../../domain/tensorzero/settings.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Table } from './read-toml.ts';

/** A configuration in heddle's terms. */
export type Converted = {
  settings: TensorZeroSettings;
  policies: { name: string; plan: PolicyPlan }[];
  /** Messages of system by the names of the prompts. */
  prompts: Map<string, string>;
  /** Objects of the classes `Provider` and `ProviderModel`, by their names. */
  providers: Map<string, Record<string, unknown>>;
  /** What has no equivalent, and what to do. */
  notes: string[];
  /** What could not be converted, and why. */
  refused: string[];
};

type Conversion = Converted & { model: string | null; project: string };

/** @param model the model of every variant; null for those of the configuration */
export function convertConfiguration(table: Table, project: string, model: string | null): Converted {
  const settings = tensorZeroSettings.parse({});
  const of = { settings, policies: [], prompts: new Map(), providers: new Map(), notes: [], refused: [] };
  const conversion: Conversion = { ...of, model, project };
  for (const [name, each] of tablesIn(table.models))
    attempt(conversion, `models.${name}`, () => addModel(conversion, name, each));
  for (const [name, each] of tablesIn(table.tools))
    attempt(conversion, `tools.${name}`, () => addTool(conversion, name, each));
  for (const [name, each] of tablesIn(table.metrics))
    attempt(conversion, `metrics.${name}`, () => addMetric(conversion, name, each));
  for (const [name, each] of tablesIn(table.functions))
    attempt(conversion, `functions.${name}`, () => addFunction(conversion, name, each));
  for (const [name, each] of tablesIn(table.evaluations)) noteEvaluators(conversion, `evaluations.${name}`, each);
  const ignored = ['gateway', 'clickhouse', 'postgres', 'object_storage', 'autopilot'];
  const known = ['models', 'tools', 'metrics', 'functions', 'evaluations', ...ignored];
  for (const name of Object.keys(table).filter((each) => !known.includes(each)))
    conversion.notes.push(`[${name}] has no equivalent and is left out.`);
  return conversion;
}

function attempt({ refused }: Conversion, place: string, convert: () => void): void {
  try {
    convert();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    refused.push(`${place}: ${error.message}`);
  }
}

function tablesIn(value: unknown): [string, Table][] {
  return isObject(value) ? Object.entries(value).filter((entry): entry is [string, Table] => isObject(entry[1])) : [];
}

/** Types of providers that are reached as OpenAI's API, at the address that the configuration gives. */
const openAiCompatible = ['openai', 'vllm', 'sglang', 'tgi'];
const wellKnown = [
  ...['openai', 'anthropic', 'mistral', 'groq', 'deepseek', 'xai', 'fireworks', 'together', 'openrouter'],
  'google_ai_studio_gemini',
];

/** The first provider that heddle can reach. */
function addModel(conversion: Conversion, name: string, table: Table): void {
  const routing = Array.isArray(table.routing) ? table.routing.map(String) : [];
  const providers = isObject(table.providers) ? table.providers : {};
  const found = routing
    .map((each) => [each, providers[each]] as const)
    .find(([, each]) => isObject(each) && reaches(each));
  if (found === undefined) {
    const types = Object.values(providers).map((each) => (isObject(each) ? each.type : null));
    conversion.notes.push(
      `models.${name}: heddle has no provider of the type ${types.join(' or ') || 'none'}. Publish a Provider, or import with --model.`,
    );
    return;
  }
  const [provider, about] = found as [string, Table];
  conversion.settings.models[name] =
    typeof about.api_base === 'string'
      ? addProvider(conversion, provider, about)
      : `${providerNamed(String(about.type))}/${about.model_name}`;
  if (routing.length > 1)
    conversion.notes.push(
      `models.${name}: only the provider ${provider} is used; variants of a policy are the fallback.`,
    );
}

function reaches({ type, api_base, model_name }: Table): boolean {
  if (typeof model_name !== 'string') return false;
  if (typeof api_base === 'string') return openAiCompatible.includes(String(type));
  return wellKnown.includes(String(type));
}

/** @returns the name of the model */
function addProvider({ providers }: Conversion, name: string, about: Table): string {
  const sentName = String(about.model_name);
  const id = (text: string) => text.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const ofClass = (of: string) => ({ _type: of, _class_name: of, _bases: ['Object', 'BaseModel'] });
  const [, variable = ''] = /^env::(.+)$/.exec(String(about.api_key_location ?? '')) ?? [];
  providers.set(id(name), {
    ...{ ...ofClass('Provider'), base_url: String(about.api_base).replace(/\/+$/, ''), api_key_name: variable },
  });
  providers.set(`${id(name)}-${id(sentName)}`, {
    ...{ ...ofClass('ProviderModel'), name: sentName, provider: id(name), max_tokens: 0 },
  });
  return `custom::${id(name)}::${sentName}`;
}

function addTool({ settings }: Conversion, name: string, table: Table): void {
  const { description, parameters, strict } = table;
  const sent = { name: table.name ?? name, description, parameters: schemaOf(parameters), strict };
  settings.tools[name] = parsed('tools', { [name]: sent })[name]!;
}

function addMetric({ settings }: Conversion, name: string, { type, optimize, level }: Table): void {
  if (type !== 'boolean' && type !== 'float')
    throw invalidInput(`its type is ${String(type)}, expected boolean or float.`);
  settings.metrics[name] = parsed('metrics', { [name]: { type, optimize, level } })[name]!;
}

const roles = ['system', 'user', 'assistant'];

function addFunction(conversion: Conversion, name: string, table: Table): void {
  const { settings, notes } = conversion;
  const schemas: Table = {};
  for (const role of roles)
    if (table[`${role}_schema`] !== undefined) schemas[role] = schemaOf(table[`${role}_schema`]);
  for (const [each, { path }] of tablesIn(table.schemas)) schemas[each] = schemaOf(path);
  const variants: Record<string, unknown> = {};
  const planned: PolicyPlan['variants'] = [];
  for (const [each, about] of tablesIn(table.variants)) {
    const place = `functions.${name}.variants.${each}`;
    if (about.type !== 'chat_completion') {
      notes.push(
        `${place}: variants of the type ${String(about.type)} are not supported by heddle, and this one is left out.`,
      );
      continue;
    }
    const { templates, wrappers } = templatesOf(about, schemas);
    const prompt = `${objectIdOf(name)}.${objectIdOf(each)}`;
    const hasPrompt = templates.system !== undefined && !isTemplate(templates.system) && !wrappers.includes('system');
    if (hasPrompt) conversion.prompts.set(prompt, templates.system!.replace(/\r?\n$/, ''));
    variants[each] = { templates, wrappers, parameters: parametersOf(about) };
    const model = conversion.model ?? modelNamed(settings, String(about.model));
    planned.push({ name: each, model, prompt: hasPrompt ? prompt : null });
    noteIgnored(conversion, place, about);
  }
  const { type, tools, tool_choice, parallel_tool_calls } = table;
  const output_schema = table.output_schema === undefined ? undefined : schemaOf(table.output_schema);
  const sent = { type, schemas, output_schema, tools, tool_choice, parallel_tool_calls, variants };
  const made = parsed('functions', { [name]: sent })[name]!;
  for (const tool of made.tools)
    if (!Object.hasOwn(settings.tools, tool))
      throw invalidInput(`it has the tool ${tool}, which is not in the configuration.`);
  if (planned.length === 0) throw invalidInput('it has no variant that heddle can use.');
  const plan = planOf(conversion, name, table, planned);
  checkPlan(plan);
  settings.functions[name] = made;
  conversion.policies.push({ name, plan });
  noteEvaluators(conversion, `functions.${name}`, table);
}

function templatesOf(about: Table, schemas: Table): { templates: Record<string, string>; wrappers: string[] } {
  const templates: Record<string, string> = {};
  const wrappers: string[] = [];
  const wrapped = isObject(about.input_wrappers) ? about.input_wrappers : {};
  for (const role of roles) {
    const source = wrapped[role] ?? about[`${role}_template`];
    if (typeof source !== 'string') continue;
    templates[role] = source;
    // Without a schema, these read the text of the message.
    if (schemas[role] === undefined && isTemplate(source)) wrappers.push(role);
  }
  for (const [each, { path }] of tablesIn(about.templates)) if (typeof path === 'string') templates[each] = path;
  const includes = Object.entries(templates).find(([, source]) =>
    /\{%-?\s*(include|extends|import|from)\b/.test(source),
  );
  if (includes !== undefined)
    throw invalidInput(
      `the template ${includes[0]} includes other files, which heddle does not support. Write it as one file.`,
    );
  return { templates, wrappers };
}

const parameterNames = [
  ...['temperature', 'max_tokens', 'seed', 'top_p', 'presence_penalty', 'frequency_penalty', 'stop_sequences'],
  ...['reasoning_effort', 'json_mode'],
];

function parametersOf(about: Table): Table {
  return Object.fromEntries(
    parameterNames.filter((name) => about[name] !== undefined).map((name) => [name, about[name]]),
  );
}

function noteIgnored({ notes }: Conversion, place: string, about: Table): void {
  const ignored = [
    'extra_body',
    'extra_headers',
    'service_tier',
    'thinking_budget_tokens',
    'verbosity',
    'timeouts',
    'namespace',
  ];
  const found = ignored.filter((name) => about[name] !== undefined);
  if (found.length > 0) notes.push(`${place}: ${found.join(', ')} ${found.length === 1 ? 'is' : 'are'} left out.`);
}

function planOf(conversion: Conversion, name: string, table: Table, variants: PolicyPlan['variants']): PolicyPlan {
  const weights = weightsOf(conversion, name, table);
  const known = variants.map((variant) => [variant.name, weights(variant.name)] as const);
  const sum = known.reduce((total, [, weight]) => total + weight, 0);
  if (sum <= 0) throw invalidInput('none of its variants that heddle can use has traffic.');
  const shares = Object.fromEntries(known.map(([each, weight]) => [each, weight / sum]));
  const incumbent = variants.reduce(
    (best, { name: each }) => (shares[each]! > shares[best]! ? each : best),
    variants[0]!.name,
  );
  return { variants, incumbent, traffic: { kind: 'split', shares }, scorers: scorersOf(conversion), alpha: 0.05 };
}

/** The weight of a variant, as the experiment, the variants or equal weights say. */
function weightsOf({ notes }: Conversion, name: string, table: Table): (variant: string) => number {
  const variants = new Map(tablesIn(table.variants));
  const { experimentation } = table;
  if (isObject(experimentation)) {
    const { type, candidate_variants: candidates } = experimentation;
    if (type !== 'static' && type !== 'static_weights' && type !== 'uniform')
      notes.push(
        `functions.${name}: the experiment of the type ${String(type)} begins with equal shares, which do not follow the outcomes.`,
      );
    if (Array.isArray(candidates)) return (variant) => (candidates.includes(variant) ? 1 : 0);
    if (isObject(candidates)) return (variant) => Number(candidates[variant] ?? 0);
    return () => 1;
  }
  const hasWeights = [...variants.values()].some(({ weight }) => weight !== undefined);
  return (variant) => (hasWeights ? Number(variants.get(variant)?.weight ?? 0) : 1);
}

/** Metrics are shown beside the variants, and decide nothing until someone changes the policy. */
function scorersOf({ settings }: Conversion): PolicyScorer[] {
  return Object.entries(settings.metrics)
    .filter(([, { type, optimize }]) => type === 'boolean' && optimize === 'max')
    .map(([name]) => ({
      ...{ reward: `${name}.value`, low: 0, high: 1, windowSeconds: 24 * 3600, missing: 'shown_only', harm: 0.1 },
    }));
}

const sameScorers: Record<string, string> = { exact_match: 'exact_match', regex: 'regex' };

function noteEvaluators({ notes }: Conversion, place: string, { evaluators }: Table): void {
  for (const [name, { type }] of tablesIn(evaluators)) {
    const scorer = sameScorers[String(type)];
    notes.push(
      scorer === undefined
        ? `${place}.evaluators.${name}: publish a scorer for this ${String(type)} (docs/evaluations.md).`
        : `${place}.evaluators.${name}: use \`heddle eval run --scorer ${scorer}\` with the imported dataset.`,
    );
  }
}

function schemaOf(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return parsePlain(text);
  } catch (error) {
    throw invalidInput(`a schema is not JSON: ${(error as Error).message}`);
  }
}

function parsed<Part extends 'tools' | 'metrics' | 'functions'>(part: Part, value: unknown): TensorZeroSettings[Part] {
  const { data, error } = tensorZeroSettings.safeParse({ [part]: value });
  if (error) throw invalidInput(describeFaults(error));
  return data[part];
}
