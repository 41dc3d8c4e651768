import { type LosslessJson, stringifyLossless } from '../../util/json/lossless.ts';
import { type Message, type Part, textOf } from './conversation.ts';
import { type ConversationSource, conversationIn, parsed } from './read-conversation.ts';
import { unquoted } from './values.ts';

/** What a call was asked and what it answered, in one line each. */
export type Preview = { input: string; output: string };

const lengthMax = 240;
/** Parsing more takes longer than reading a list may take. */
const payloadLengthMax = 8 * 1024 * 1024;

/** The last message of the user and the answer; of calls that are not conversations, their payloads in a line. */
export function previewOf(call: ConversationSource): Preview {
  const [inputs, output] = [call.inputs, call.output];
  if (inputs.length + output.length > payloadLengthMax) return { input: oneLine(inputs), output: oneLine(output) };
  const [given, returned] = [parsed(inputs), parsed(output)];
  const conversation = conversationIn(given, returned, call);
  if (conversation === null) return { input: oneLine(lineOf(given)), output: oneLine(lineOf(returned)) };
  const { input, output: answers } = conversation;
  const asked = input.findLast(({ role, parts }) => role === 'user' && parts.length > 0) ?? input.at(-1);
  const answer = answers.findLast((each) => each.role === 'assistant' && textOf(each) !== '') ?? answers.at(-1);
  return { input: asked ? lineOfMessage(asked) : '', output: answer ? lineOfMessage(answer) : '' };
}

/** The text of a message, or what it has instead. */
function lineOfMessage(message: Message): string {
  const text = textOf(message);
  return oneLine(
    text.trim() === ''
      ? message.parts
          .map(lineOfPart)
          .filter((line) => line !== '')
          .join(' ')
      : text,
  );
}

function lineOfPart(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'reasoning':
      return '';
    case 'tool_call':
      return `${part.name}(${lineOf(part.arguments)})`;
    case 'tool_result':
      return lineOf(part.result);
    case 'json':
      return lineOf(part.value);
    default:
      return `[${part.name ?? part.type}]`;
  }
}

/** The only text of an object, or its members. */
function lineOf(value: LosslessJson): string {
  if (value === null) return '';
  if (typeof value === 'string') return unquoted(value);
  if (!(value instanceof Map)) return stringifyLossless(value);
  const members = [...value].filter(([name, each]) => name !== 'self' && each !== null && !isNoArgument(name, each));
  const [only] = members;
  if (members.length === 1 && isArgument(only!)) return lineOf(inside(only![1]));
  return members
    .map(([name, each]) => `${name}: ${typeof each === 'string' ? each : stringifyLossless(each)}`)
    .join(' · ');
}

/** Decorators of Python functions record `args` and `kwargs`, of which one is usually empty. */
function isNoArgument(name: string, value: LosslessJson): boolean {
  return (
    (name === 'args' && Array.isArray(value) && value.length === 0) ||
    (name === 'kwargs' && value instanceof Map && value.size === 0)
  );
}

function isArgument([name, value]: [string, LosslessJson]): boolean {
  return (
    typeof value === 'string' || value instanceof Map || (name === 'args' && Array.isArray(value) && value.length === 1)
  );
}

function inside(value: LosslessJson): LosslessJson {
  return Array.isArray(value) ? value[0]! : value;
}

function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * lengthMax)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > lengthMax ? `${line.slice(0, lengthMax)}…` : line;
}
