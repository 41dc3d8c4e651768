import type { ChatMessage } from '../../domain/graders/fill-messages.ts';
import type { ModelSample, SampleUsage } from '../../domain/graders/grade.ts';
import type { Completions } from '../../services/completions/completions.ts';
import { readInputs } from '../../services/completions/read-inputs.ts';
import type { Owner } from '../../services/owner.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { UsageOfModels } from './completion-model.ts';
import { withRetries } from './with-retries.ts';

/** A request to a model; the parameters are those of chat completions. */
export type ModelRequest = { model: string; messages: ChatMessage[]; parameters: Record<string, unknown> };

/** The answer: the message of its first choice. */
export type AskedModel = { message: Record<string, unknown>; sample: ModelSample; usage: UsageOfModels };

/** Asks a model once, and again while it is busy. @throws Failure */
export async function askModel(
  completions: Pick<Completions, 'complete'>,
  { model, messages, parameters }: ModelRequest,
  owner: Owner,
  signal: AbortSignal,
): Promise<AskedModel> {
  const inputs = readInputs({ ...parameters, model, messages });
  const request = { ...owner, inputs, keepsTokens: false, signal };
  const { response, record } = await withRetries(() => completions.complete(request), signal);
  const answer: unknown = parsePlain(response.text);
  const choice = ownMember(ownMember(answer, 'choices'), '0');
  const found = ownMember(choice, 'message');
  const message = isObject(found) ? found : {};
  const numberOf = (name: string) => (typeof parameters[name] === 'number' ? (parameters[name] as number) : null);
  const sample = {
    input: messages.map(({ role, content }) => ({ role, content: content ?? null })),
    output: [outputOf(message)],
    finish_reason: stringOf(ownMember(choice, 'finish_reason')) ?? 'stop',
    model: stringOf(ownMember(answer, 'model')) ?? model,
    usage: usageOf(ownMember(answer, 'usage')),
    error: null,
    temperature: numberOf('temperature'),
    top_p: numberOf('top_p'),
    seed: numberOf('seed'),
    max_completion_tokens: numberOf('max_completion_tokens'),
  };
  return { message, sample, usage: record.summary.usage ?? {} };
}

/** The text of an answer; null if it has none. */
export function textOf(message: Record<string, unknown>): string | null {
  return stringOf(message.content);
}

function outputOf(message: Record<string, unknown>): ModelSample['output'][number] {
  return {
    role: stringOf(message.role) ?? 'assistant',
    content: textOf(message),
    tool_calls: message.tool_calls ?? null,
  };
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function usageOf(usage: unknown): SampleUsage {
  const countOf = (value: unknown) => (typeof value === 'number' ? value : 0);
  return {
    prompt_tokens: countOf(ownMember(usage, 'prompt_tokens')),
    completion_tokens: countOf(ownMember(usage, 'completion_tokens')),
    total_tokens: countOf(ownMember(usage, 'total_tokens')),
    cached_tokens: countOf(ownMember(ownMember(usage, 'prompt_tokens_details'), 'cached_tokens')),
  };
}
