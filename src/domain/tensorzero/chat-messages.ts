import { invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import type { Block, Input, Role } from './input.ts';
import { readBlock } from './input.ts';

type ChatMessage = {
  role: string;
  content?: unknown;
  tool_call_id?: string | null;
  tool_calls?: unknown[] | null;
};

/** The messages of a chat in OpenAI's form as the input of an inference. @throws Failure */
export function inputOfMessages(messages: readonly ChatMessage[]): Input {
  const input: Input = { system: null, messages: [] };
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') {
      input.system = withSystem(input.system, message.content);
    } else if (message.role === 'tool') {
      const result = blocksOf(message.content, 'user').map((block) => ('text' in block ? block.text : ''));
      addTo(input, 'user', [{ type: 'tool_result', id: message.tool_call_id ?? '', result: result.join('') }]);
    } else if (message.role === 'user') {
      addTo(input, 'user', blocksOf(message.content, 'user'));
    } else if (message.role === 'assistant') {
      const calls = (message.tool_calls ?? []).filter(isObject).map((call): Block => {
        const called = isObject(call.function) ? call.function : {};
        return readBlock({ type: 'tool_call', id: call.id, name: called.name, arguments: called.arguments }, 'user');
      });
      addTo(input, 'assistant', [...blocksOf(message.content ?? [], 'assistant'), ...calls]);
    } else {
      throw invalidInput(`TensorZero has no messages with the role ${message.role.slice(0, 100)}.`);
    }
  }
  return input;
}

function addTo(input: Input, role: Role, content: Block[]): void {
  input.messages.push({ role, content });
}

/** Several texts are one; arguments of a template stand alone. */
function withSystem(before: Input['system'], content: unknown): Input['system'] {
  const blocks = blocksOf(content, 'user');
  const [first] = blocks;
  if (first?.type === 'template') {
    if (before === null && blocks.length === 1) return first.arguments;
    throw invalidInput('Arguments of the system template must be the only content of the only system message.');
  }
  const text = blocks.map((block) => ('text' in block ? block.text : '')).join('');
  if (before === null) return text;
  if (typeof before === 'string') return `${before}\n${text}`;
  throw invalidInput('Arguments of the system template must be the only content of the only system message.');
}

function blocksOf(content: unknown, role: Role): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalidInput('The content of a message must be a string or a list of blocks.');
  return content.map((block): Block => {
    if (typeof block === 'string') return { type: 'text', text: block };
    if (!isObject(block)) throw invalidInput('A block of a message must be an object.');
    const { type, ...rest } = block;
    if (type === 'text' && 'tensorzero::arguments' in rest)
      return readBlock({ type, arguments: rest['tensorzero::arguments'] }, role);
    if (type === 'tensorzero::raw_text') return readBlock({ ...rest, type: 'raw_text' }, role);
    if (type === 'tensorzero::template') return readBlock({ ...rest, type: 'template' }, role);
    if (type === 'image_url') {
      const { image_url: image } = rest;
      return readBlock({ type: 'image', url: isObject(image) ? image.url : image }, role);
    }
    return readBlock(block, role);
  });
}
