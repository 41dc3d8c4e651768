import { z } from 'zod';
import { parsePlain } from '../../util/json/parse.ts';
import { misspelledKey } from './misspelled-key.ts';

const roles = ['system', 'developer', 'user', 'assistant', 'tool'];

const args = z.union([
  z.record(z.string(), z.unknown()),
  z.string().refine(isArguments, 'expected the JSON text of an object'),
]);

const call = z.looseObject(
  {
    function: z.looseObject(
      { name: z.string('expected a string').min(1, 'the name is empty'), arguments: args.nullish() },
      'expected an object with a name and arguments',
    ),
  },
  'expected an object with a function',
);

const content = z.union([z.string(), z.array(z.unknown()), z.null()], 'expected a string, a list of parts or null');

/**
 * A message of training data. What would not be trained is rejected where it would change what the line says: fields of
 * the answer that templates do not show, and names that are probably misspelled.
 */
const message = z
  .looseObject({
    role: z.string('expected a string'),
    content: content.optional(),
    tool_calls: z.array(call, 'expected a list').nullish(),
    tool_call_id: z.string('expected a string').nullish(),
    name: z.string('expected a string').nullish(),
    reasoning: z.string('expected a string').nullish(),
    reasoning_content: z.string('expected a string').nullish(),
    weight: z.union([z.literal(0), z.literal(1)], 'expected 0 or 1').nullish(),
  })
  .check(({ value, issues }) => {
    const fault = faultOf(value);
    if (fault) issues.push({ code: 'custom', path: [fault.field], message: fault.reason, input: value });
  });

export const messageList = z.array(message, 'expected a list of messages').min(1, 'the list is empty');
export const toolList = z.array(z.looseObject({}, 'expected an object'), 'expected a list').nullish();

type Message = { role: string } & Record<string, unknown>;

function faultOf(given: Message): { field: string; reason: string } | null {
  const { role, weight } = given;
  if (!roles.includes(role)) {
    return { field: 'role', reason: `${JSON.stringify(role.slice(0, 50))} is not one of ${roles.join(', ')}` };
  }
  const refused = Object.keys(notTrained).find((field) => !isEmpty(given[field]));
  if (refused !== undefined) return { field: refused, reason: notTrained[refused]! };
  const leftOut = role === 'assistant' && weight == null ? leavingOut(given) : undefined;
  if (leftOut !== undefined) return { field: leftOut, reason: 'write "weight": 0 for an answer that is not trained' };
  const silent = Array.isArray(given.content) ? given.content.findIndex(isWithoutText) : -1;
  if (silent !== -1) return { field: `content.${silent}`, reason: 'expected a part with a text' };
  const misspelled = misspelledKey(given, knownKeys);
  if (misspelled) return { field: misspelled.key, reason: misspelled.reason };
  const isSaid = given.content != null && !(Array.isArray(given.content) && given.content.length === 0);
  if (isSaid) return null;
  if (role !== 'assistant') return { field: 'content', reason: 'expected a string or a list of parts' };
  const isContext = weight === 0;
  const saysMore = [given.tool_calls, given.reasoning, given.reasoning_content].some((each) => !isEmpty(each));
  return isContext || saysMore ? null : { field: 'content', reason: 'an answer needs content or tool_calls' };
}

const knownKeys = Object.keys(message.shape);

/** The field with which other formats leave out an answer, or parts of it. */
function leavingOut(given: Message): string | undefined {
  const isOff = (value: unknown) => value === false || value === 0 || value === 'false';
  const off = ['train', 'training', 'trainable', 'loss', 'loss_weight'].find((field) => isOff(given[field]));
  return off ?? ['train_detail', 'mask', 'masked'].find((field) => !isEmpty(given[field]) && !isOff(given[field]));
}

function isWithoutText(part: unknown): boolean {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
  return type === 'text' && typeof text !== 'string';
}

/** Fields of other formats that say what a model answered, or are of OpenAI's format and cannot be trained. */
const notTrained: Record<string, string> = {
  function_call: 'write the call in tool_calls: function_call is not trained',
  refusal: 'write the text of the refusal as content: refusal is not trained',
  audio: 'audio cannot be trained',
};

/** What people should know about messages that can be trained: fields without effect, and empty answers. */
export function noticesOf(messages: readonly Message[]): string[] {
  return messages.flatMap((given) => {
    const ignored = Object.keys(given).filter((key) => !knownKeys.includes(key) && !isEmpty(given[key]));
    const notices = ignored.map((key) => `The field ${JSON.stringify(key.slice(0, 50))} of messages has no effect`);
    const { role, content, weight, tool_calls, reasoning, reasoning_content } = given;
    if (role !== 'assistant' && weight === 1)
      notices.push(`A weight of 1 has no effect: the role ${role} is not trained`);
    const isSilent = [content, tool_calls, reasoning, reasoning_content].every(isEmpty);
    if (role === 'assistant' && weight !== 0 && isSilent)
      notices.push('An empty answer is trained: the model learns to say nothing');
    return notices;
  });
}

export function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

function isArguments(text: string): boolean {
  if (text === '') return true;
  try {
    const value = parsePlain(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
