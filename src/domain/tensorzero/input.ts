import { z } from 'zod';
import { invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { toJson } from '../../util/json/write.ts';

/** The input of an inference. Arguments keep their numbers as they were written. */
export type Input = {
  system: string | Record<string, unknown> | null;
  messages: { role: Role; content: Block[] }[];
};

export type Role = 'user' | 'assistant';

export type Block =
  /** Which a template may wrap. */
  | { type: 'text'; text: string }
  | { type: 'raw_text'; text: string }
  | { type: 'template'; name: string; arguments: Record<string, unknown> }
  | { type: 'tool_call'; id: string; name: string; arguments: string }
  | { type: 'tool_result'; id: string; result: string }
  | { type: 'thought'; text: string }
  /** The address of an image, or the image itself in a `data:` address. */
  | { type: 'image'; url: string };

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
const input = z.object({
  system: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content })).default([]),
});

/** @param sent parsed JSON whose numbers keep their digits @throws Failure */
export function readInput(sent: unknown): Input {
  const { data, error } = input.safeParse(sent);
  if (error) {
    const [issue] = error.issues;
    throw invalidInput(`input${issue!.path.map((step) => `.${String(step)}`).join('')}: ${issue!.message}`);
  }
  return {
    system: data.system ?? null,
    messages: data.messages.map(({ role, content: blocks }) => ({
      role,
      content:
        typeof blocks === 'string' ? [{ type: 'text', text: blocks }] : blocks.map((block) => readBlock(block, role)),
    })),
  };
}

export function readBlock(block: Record<string, unknown>, role: Role): Block {
  const text = (name: string): string => {
    const value = block[name];
    if (typeof value === 'string') return value;
    throw invalidInput(`A block of the type ${block.type} needs the string ${name}.`);
  };
  switch (block.type) {
    case 'text':
      if (block.arguments !== undefined && block.arguments !== null)
        return { type: 'template', name: role, arguments: argumentsOf(block) };
      return { type: 'text', text: text('text') };
    case 'raw_text':
      return { type: 'raw_text', text: text('value') };
    case 'template':
      return { type: 'template', name: text('name'), arguments: argumentsOf(block) };
    case 'tool_call':
      return { type: 'tool_call', id: text('id'), ...calledTool(block) };
    case 'tool_result':
      return { type: 'tool_result', id: text('id'), result: text('result') };
    case 'thought':
      return { type: 'thought', text: typeof block.text === 'string' ? block.text : '' };
    case 'image':
    case 'file':
      return { type: 'image', url: imageUrl(block) };
    default:
      throw invalidInput(`Blocks of the type ${String(block.type).slice(0, 100)} are not supported by heddle.`);
  }
}

function argumentsOf(block: Record<string, unknown>): Record<string, unknown> {
  if (isObject(block.arguments)) return block.arguments;
  throw invalidInput(`A block of the type ${block.type} needs the object arguments.`);
}

/** What the model wrote counts, if it is sent back. */
function calledTool(block: Record<string, unknown>): { name: string; arguments: string } {
  const name = block.raw_name ?? block.name;
  const given = block.raw_arguments ?? block.arguments;
  if (typeof name !== 'string' || given === undefined || given === null)
    throw invalidInput('A block of the type tool_call needs name and arguments, or raw_name and raw_arguments.');
  return { name, arguments: typeof given === 'string' ? given : toJson(given) };
}

function imageUrl(block: Record<string, unknown>): string {
  const { url, data, mime_type: type } = block;
  if (typeof url === 'string') return url;
  if (typeof data === 'string' && typeof type === 'string' && type.startsWith('image/'))
    return `data:${type};base64,${data}`;
  throw invalidInput(`A block of the type ${block.type} needs a url, or data with the mime_type of an image.`);
}
