import { type Input, readInput } from '../../domain/tensorzero/input.ts';
import { isObject } from '../../util/json/own-member.ts';
import { toJson } from '../../util/json/write.ts';

/** The input of an inference as a store has it: older versions wrote texts and arguments as `value`. @throws Failure */
export function storedInput(value: unknown): Input {
  const { system, messages } = isObject(value) ? value : {};
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  return readInput({
    system: typeof system === 'string' || isObject(system) ? system : null,
    messages: list.map(({ role, content }) => ({
      role,
      content: Array.isArray(content) ? content.map(storedBlock) : content,
    })),
  });
}

function storedBlock(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { type, value } = block;
  if (type === 'text' && value !== undefined)
    return isObject(value) ? { type, arguments: value } : { type, text: value };
  if (type === 'text' && block.text === undefined && isObject(block.arguments)) return block;
  if (type === 'file' || type === 'image') {
    const file = isObject(block.file) ? block.file : block;
    if (typeof file.url === 'string') return { type, url: file.url };
    return { type: 'raw_text', value: `[${type}: ${toJson(block.storage_path ?? {})}]` };
  }
  return type === 'unknown' ? { type: 'raw_text', value: toJson(block.data ?? null) } : block;
}

/** An output of a chat function, or a demonstration of one, as a message in OpenAI's form. */
export function assistantMessage(blocks: unknown): Record<string, unknown> {
  const list = (Array.isArray(blocks) ? blocks : []).filter(isObject);
  const texts = list.filter(({ type }) => type === 'text').map(({ text, value }) => String(text ?? value ?? ''));
  const thoughts = list.filter(({ type }) => type === 'thought').map(({ text }) => String(text ?? ''));
  const calls = list
    .filter(({ type }) => type === 'tool_call')
    .map((call) => {
      const given = call.raw_arguments ?? call.arguments ?? '';
      const args = typeof given === 'string' ? given : toJson(given);
      return {
        id: String(call.id ?? ''),
        type: 'function',
        function: { name: String(call.raw_name ?? call.name), arguments: args },
      };
    });
  return {
    role: 'assistant',
    content: texts.length === 0 && calls.length > 0 ? null : texts.join(''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join('') }),
  };
}

/** The same of a JSON function: `{raw, parsed}`. */
export function jsonMessage(output: unknown): Record<string, unknown> {
  const { raw, parsed } = isObject(output) ? output : {};
  const content = typeof raw === 'string' ? raw : parsed === undefined || parsed === null ? null : toJson(parsed);
  return { role: 'assistant', content };
}

/** A whole chat in OpenAI's form, as heddle records its own. */
export function completionOf(of: {
  id: string;
  model: string;
  message: Record<string, unknown>;
  finish?: string | null;
  startedAt: number;
}) {
  const { id, model, message, finish, startedAt } = of;
  const reason =
    finish === 'tool_call' || message.tool_calls !== undefined ? 'tool_calls' : finish === 'length' ? 'length' : 'stop';
  return {
    ...{ id, object: 'chat.completion', created: Math.floor(startedAt / 1_000_000), model },
    choices: [{ index: 0, message, finish_reason: reason }],
  };
}
