import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { type Message, message, textOf } from './conversation.ts';
import { langChainMembers } from './langchain.ts';
import { messagesIn, messagesOf } from './messages.ts';
import { isPart, partsOf } from './parts.ts';
import { listOf, memberOf, objectOf, opened, textAt, unquoted } from './values.ts';

/** What was asked. `isText` says that it is a text, which need not be a message. */
export type Asked = { messages: Message[]; isText: boolean };

/** The messages of a request to a model, or of what contains one: a span's attribute, or the arguments of a function. */
export function readRequest(value: LosslessJson | undefined, depth = 0): Asked | null {
  const sent = opened(typeof value === 'string' ? unquoted(value) : value);
  if (sent === undefined || sent === null || depth > depthMax) return null;
  if (typeof sent === 'string')
    return sent === '' ? null : { messages: [message('user', partsOf(sent))], isText: true };
  if (Array.isArray(sent)) return readList(sent, depth);
  if (!(sent instanceof Map)) return null;
  const single = messagesIn(sent);
  if (single) return single.length > 0 ? { messages: single, isText: false } : null;
  return readBody(langChainMembers(sent) ?? sent, depth);
}

const depthMax = 6;

function readList(list: LosslessJson[], depth: number): Asked | null {
  const messages = messagesOf(list);
  if (messages) return { messages, isText: false };
  if (list.length > 0 && list.every((each) => isPart(each)))
    return { messages: [message('user', partsOf(list))], isText: false };
  return list.length === 1 ? readRequest(list[0], depth + 1) : null;
}

function readBody(body: LosslessObject, depth: number): Asked | null {
  for (const name of messageKeys) {
    const messages = messagesOf(body.get(name)) ?? readContents(name, body.get(name));
    if (messages?.length) {
      const asked = histories.has(name) ? questionBeside(body, messages) : [];
      return { messages: [...instructionsOf(body, messages), ...messages, ...asked], isText: false };
    }
  }
  const prompt = promptOf(body);
  if (prompt) return prompt;
  const rest = membersOf(body);
  const [only] = rest;
  if (rest.length === 1) return readRequest(only![1], depth + 1);
  for (const name of wrapperKeys) {
    const inner = body.get(name);
    const asked = inner === undefined || inner === null ? null : readRequest(inner, depth + 1);
    if (asked && !asked.isText) return asked;
  }
  return null;
}

/** Where requests have their messages, and where spans do. */
const messageKeys = [
  ...['messages', 'input', 'contents', 'prompt', 'history', 'message_history', 'chat_history', 'input_messages'],
  ...['all_messages', 'new_messages', 'llm.input_messages', 'gen_ai.input.messages', 'pydantic_ai.all_messages'],
  'all_messages_events',
  'events',
];
/** Messages before the one that is asked, which may be beside them. */
const histories = new Set(['history', 'message_history', 'chat_history']);

/** Cohere and chains of LangChain send the message of the user beside the history. */
function questionBeside(body: LosslessObject, history: Message[]): Message[] {
  const text = textAt(body, 'message', 'new_message', 'user_prompt', 'question', 'query', 'input', 'prompt');
  const last = history.at(-1);
  if (text === null || (last?.role === 'user' && textOf(last) === text)) return [];
  return [message('user', partsOf(text))];
}

/** Members that may contain the whole request. */
const wrapperKeys = [
  ...['input.value', 'input', 'inputs', 'request', 'request_data', 'body', 'kwargs', 'args', 'prompt', 'prompts'],
  ...['llm_request', 'gcp.vertex.agent.llm_request', 'state', 'data', 'params', 'options'],
];

/** Gemini's contents may be a text, a part, or a list of them. */
function readContents(name: string, contents: LosslessJson | undefined): Message[] | null {
  if (name !== 'contents' || contents === undefined || contents === null) return null;
  const list = listOf(contents);
  const single = list ? null : messagesIn(contents);
  if (single) return single;
  const mixed = (list ?? [contents]).map(
    (each) => messagesIn(each) ?? [message('user', partsOf(listOf(objectOf(each)?.get('parts')) ?? [each]))],
  );
  return mixed.flat();
}

/** Instructions come apart from the messages with most providers. */
function instructionsOf(body: LosslessObject, messages: Message[]): Message[] {
  if (messages[0]?.role === 'system') return [];
  const config = objectOf(memberOf(body, 'config', 'generation_config', 'generationConfig'));
  const names = [
    'system',
    'instructions',
    'system_instruction',
    'systemInstruction',
    'system_prompt',
    'system_instructions',
    'preamble',
  ];
  const sent = opened(memberOf(body, ...names) ?? memberOf(config, ...names));
  if (sent === undefined || sent === '') return [];
  const inner = memberOf(sent instanceof Map ? sent : null, 'parts', 'content') ?? sent;
  const listed = messagesOf(inner);
  if (listed) return listed;
  const parts = partsOf(inner);
  return parts.length === 0 ? [] : [message('system', parts)];
}

/** A prompt that is one text, with what may be beside it in a request. */
function promptOf(body: LosslessObject): Asked | null {
  const name = ['prompt', 'input', 'message', 'new_message'].find((key) => textAt(body, key) !== null);
  if (
    name === undefined ||
    !(body.has('model') || membersOf(body).every(([key]) => key === name || promptKeys.has(key)))
  )
    return null;
  const asked = readRequest(body.get(name), depthMax);
  if (!asked) return null;
  const system = instructionsOf(body, asked.messages);
  const isText = asked.isText && system.length === 0 && !body.has('model');
  return { messages: [...system, ...asked.messages], isText };
}

const promptKeys = new Set([
  'system',
  'instructions',
  'system_prompt',
  'system_instruction',
  'tools',
  'toolChoice',
  'schema',
]);

/** The members that may be what was asked: the rest says who asks, and how. */
function membersOf(object: LosslessObject): [string, LosslessJson][] {
  return [...object].filter(
    ([name, value]) =>
      !(settings.has(name) || value === null || (name === 'kwargs' && value instanceof Map && value.size === 0)) &&
      !(name === 'args' && Array.isArray(value) && value.length === 0),
  );
}

const settings = new Set([
  ...[
    'self',
    'model',
    'temperature',
    'top_p',
    'top_k',
    'max_tokens',
    'max_completion_tokens',
    'stream',
    'stream_options',
  ],
  ...['seed', 'stop', 'n', 'config', 'run_id', 'session_id', 'thread_id', 'user_id', 'stream_mode', 'timeout'],
  ...['invocation_params', 'metadata', 'tags', 'verbose', 'debug', 'callbacks'],
]);
