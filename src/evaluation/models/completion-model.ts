import { z } from 'zod';
import { sumUsage } from '../../domain/usage/sum-usage.ts';
import type { Completions } from '../../services/completions/completions.ts';
import { readInputs } from '../../services/completions/read-inputs.ts';
import type { Owner } from '../../services/owner.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { invalidInput } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { formatMessage, TemplateError } from './format-text.ts';
import { smallObjectFormat } from './verdict-format.ts';
import { withRetries } from './with-retries.ts';

/** A model that consists of messages with variables, parameters and the name of another model. */
export type CompletionModel = {
  /** The name of the model that answers, as given in `llm_model_id`. */
  modelId: string;
  /** Whether it has messages of its own; otherwise each row must have them. */
  hasMessages: boolean;
  predict(input: ModelInput, owner: Owner, signal: AbortSignal): Promise<Prediction>;
};

/** What its messages are made of: those of the model, filled in with variables, then these. */
type ModelInput = { variables: Record<string, unknown>; messages: Record<string, unknown>[] };

type Prediction = {
  output: unknown;
  usage: UsageOfModels;
  /** Which model, engine and files made it, and how it was sampled, as a call's `attributes.heddle` has it; null for providers' models. */
  origin: Record<string, unknown> | null;
};

/** Counts of tokens, by the name of the model. */
export type UsageOfModels = Record<string, object>;

const message = z.looseObject({ role: z.string() });
const nullable = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

const modelSchema = z.object({
  llm_model_id: z.string().min(1),
  default_params: nullable(
    z.object({
      messages_template: nullable(z.array(message)),
      prompt: nullable(z.string()),
      temperature: nullable(z.number()),
      top_p: nullable(z.number()),
      max_tokens: nullable(z.number()),
      presence_penalty: nullable(z.number()),
      frequency_penalty: nullable(z.number()),
      stop: nullable(z.array(z.string())),
      n_times: nullable(z.number()),
      functions: nullable(z.array(z.record(z.string(), z.unknown()))),
      response_format: nullable(z.enum(['json_object', 'json_schema', 'text'])),
    }),
  ),
});

export const promptSchema = z.object({ messages: z.array(message) });

/**
 * Reads the value of an `LLMStructuredCompletionModel`. A judge on heddle's own engine always answers with JSON if its
 * `response_format` asks for it. @throws Failure with a description of the problem
 */
export function readCompletionModel(
  value: unknown,
  completions: Completions,
  { isJudge = false }: { isJudge?: boolean } = {},
): CompletionModel {
  const parsed = modelSchema.safeParse(value);
  if (!parsed.success) throw invalidInput(`The model is invalid: ${describeFaults(parsed.error)}`);
  const { llm_model_id: modelId, default_params } = parsed.data;
  const { messages_template, prompt, n_times, response_format, ...sampling } = default_params ?? {};
  const format = response_format ?? 'text';
  const parameters = {
    ...sampling,
    model: modelId,
    n: n_times,
    response_format: response_format === 'json_object' ? { type: 'json_object' } : null,
  };

  return {
    modelId,
    hasMessages: Boolean(prompt) || (messages_template ?? []).length > 0,
    async predict({ variables, messages: added }, owner, signal) {
      const messages = [...(prompt ? [] : fillIn(messages_template ?? [], variables)), ...added];
      if (!prompt && messages.length === 0) {
        throw invalidInput(
          'The model has no messages: give it a messages_template or a prompt, or the dataset a column user_input.',
        );
      }
      const body = { ...parameters, messages, ...(prompt ? { prompt, template_vars: variables } : {}) };
      const first = await ask(body, owner, signal);
      const isCut = isJudge && format !== 'text' && !isJson(first.content);
      if (!isCut || !(await completions.isOwn(modelId, owner))) return outputIn(first);
      const { response_format: short, tokensMax } = smallObjectFormat;
      const second = await ask({ ...body, response_format: short, max_tokens: tokensMax, n: null }, owner, signal);
      return outputIn({ ...second, usage: sumUsage([first.usage, second.usage]) });
    },
  };

  async function ask(body: Record<string, unknown>, owner: Owner, signal: AbortSignal) {
    const request = { ...owner, inputs: readInputs(body), keepsTokens: false, signal };
    const { response, record } = await withRetries(() => completions.complete(request), signal);
    return { content: contentOf(response), usage: record.summary.usage ?? {}, origin: originOf(record.attributes) };
  }

  function outputIn({ content, ...more }: Omit<Prediction, 'output'> & { content: unknown }): Prediction {
    return { output: outputOf(content, format), ...more };
  }
}

/** Without what belongs to single tokens, which evaluations do not keep. */
function originOf({ heddle }: Record<string, unknown>): Prediction['origin'] {
  if (!isObject(heddle)) return null;
  const { model, sampling, engine, digests } = heddle;
  return { model, sampling, engine, digests };
}

/** Without variables, braces are text: the SDK does not fill in a template then. @throws Failure */
export function fillIn(messages: Record<string, unknown>[], variables: Record<string, unknown>) {
  if (Object.keys(variables).length === 0) return messages;
  try {
    return messages.map((each) => formatMessage(each, variables));
  } catch (error) {
    throw error instanceof TemplateError ? invalidInput(error.message) : error;
  }
}

/** The text of the first choice; null if there is none. */
function contentOf(response: JsonText): unknown {
  const { choices } = parsePlain(response.text) as { choices?: { message?: { content?: unknown } | null }[] };
  return choices?.[0]?.message?.content ?? null;
}

function outputOf(content: unknown, format: 'json_object' | 'json_schema' | 'text'): unknown {
  const isEmpty = content === null || (typeof content === 'string' && content.trim() === '' && format !== 'text');
  if (isEmpty) throw invalidInput('The response of the model has no content.');
  if (format === 'text' || typeof content !== 'string') return content;
  try {
    return parseJson(content, { keepsDigits: true, isStrict: true });
  } catch {
    throw invalidInput(`The response of the model is not JSON, as response_format requires: ${content.slice(0, 200)}`);
  }
}

function isJson(content: unknown): boolean {
  try {
    return typeof content === 'string' && parsePlain(content) !== undefined;
  } catch {
    return false;
  }
}

/** The messages of a column `user_input`: a text, a message, or a list of them. */
export function toMessages(value: unknown): Record<string, unknown>[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return [{ role: 'user', content: value }];
  if (Array.isArray(value)) return value.flatMap(toMessages);
  if (isObject(value) && typeof value.role === 'string') return [value];
  throw invalidInput('The column user_input must be a string, a message with a role, or a list of these.');
}
