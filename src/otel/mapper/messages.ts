import { isIndex, opened, plainText, type Tree, type TreeObject } from '../tree.ts';
import { readParts } from './message-parts.ts';
import { toolCall } from './tool-call.ts';

/**
 * Messages of any convention as those of chat completions: `role`, `content`, `reasoning_content`, `tool_calls` with
 * their arguments as text, `tool_call_id`. Anything but a list of messages is returned unchanged.
 */
export function chatMessages(value: Tree): Tree {
  const list = opened(value);
  if (!Array.isArray(list)) return value;
  const messages = list.map((each) => opened(each));
  return messages.every((each) => each instanceof Map) ? messages.flatMap(chatMessage) : value;
}

/** One message in another format becomes one chat message or several: results of tools are separate messages. */
function chatMessage(sent: TreeObject): TreeObject[] {
  const results = resultsOfFunctions(sent);
  if (results.length > 0) return results;
  const message = unwrapped(sent);
  const item = itemOfResponses(message);
  if (item) return [item];
  const parts = readParts(opened(message.get('parts') ?? message.get('contents') ?? message.get('content')));
  const calls = [...parts.toolCalls, ...toolCallsOf(message)];
  const result: TreeObject[] = parts.toolResults.map(
    (toolResult) => new Map<string, Tree>([['role', 'tool'], ...toolResult]),
  );
  const chat = new Map<string, Tree>();
  const role = roleOf(message);
  if (role !== '') chat.set('role', role);
  if (parts.content !== undefined) chat.set('content', parts.content);
  else if (calls.length > 0) chat.set('content', null);
  const reasoning = parts.reasoning || plainText(message.get('reasoning_content') ?? message.get('reasoning'));
  if (reasoning !== '') chat.set('reasoning_content', reasoning);
  if (calls.length > 0) chat.set('tool_calls', uniqueById(calls));
  const resultOf = message.get('tool_call_id') ?? (role === 'tool' ? message.get('id') : undefined);
  if (resultOf !== undefined) chat.set('tool_call_id', plainText(resultOf));
  for (const [key, value] of message) if (!known.has(key) && !chat.has(key)) chat.set(key, value);
  const isOnlyResults = result.length > 0 && parts.content === undefined && calls.length === 0;
  return isOnlyResults ? result : [...result, chat];
}

const known = new Set([
  ...[
    'role',
    'type',
    'content',
    'contents',
    'parts',
    'tool_calls',
    'reasoning',
    'reasoning_content',
    'id',
    'event.name',
  ],
  ...['function_call', 'function_call_name', 'function_call_arguments_json', 'message', 'gen_ai', 'gen_ai.system'],
]);

/** OpenInference puts each message below `message`, as events do with a model's choices. */
function unwrapped(sent: TreeObject): TreeObject {
  const inner = opened(sent.get('message'));
  if (Array.isArray(inner)) return new Map<string, Tree>([...sent, ['content', inner]]);
  if (typeof inner === 'string') return new Map<string, Tree>([...sent, ['content', inner]]);
  if (!(inner instanceof Map)) return sent;
  const outer = [...sent].filter(([key]) => key === 'finish_reason' || key === 'role');
  return new Map([...outer, ...inner]);
}

/** OpenInference puts the results of functions beside a message without content, each as `{name, content, call_id}`. */
function resultsOfFunctions(sent: TreeObject): TreeObject[] {
  return listOf(opened(sent.get('function'))).flatMap((each) => {
    if (!(each instanceof Map) || !each.has('content')) return [];
    const message: [string, Tree][] = [
      ['role', 'tool'],
      ['content', plainText(each.get('content'))],
    ];
    if (each.has('call_id')) message.push(['tool_call_id', plainText(each.get('call_id'))]);
    return [new Map(message)];
  });
}

/** The items of OpenAI's responses that are not messages: each call of a tool and each result is separate. */
function itemOfResponses(item: TreeObject): TreeObject | null {
  const type = item.get('type');
  if (type === 'function_call') {
    const call = toolCall(item.get('call_id') ?? item.get('id'), item.get('name'), item.get('arguments'));
    return new Map<string, Tree>([
      ['role', 'assistant'],
      ['content', null],
      ['tool_calls', [call]],
    ]);
  }
  if (type !== 'function_call_output') return null;
  return new Map<string, Tree>([
    ['role', 'tool'],
    ['content', plainText(item.get('output'))],
    ['tool_call_id', item.get('call_id') ?? ''],
  ]);
}

function roleOf(message: TreeObject): string {
  const role = plainText(
    message.get('role') ?? (message.has('content') ? message.get('type') : undefined),
  ).toLowerCase();
  return roles[role] ?? role;
}

const roles: Record<string, string> = {
  human: 'user',
  developer: 'system',
  ai: 'assistant',
  model: 'assistant',
  function: 'tool',
  'tool-call': 'assistant',
  'tool-response': 'tool',
  message: '',
};

/**
 * The calls that a message has beside its content, in the formats of OpenAI, OpenInference, OpenLLMetry and LangChain.
 */
function toolCallsOf(message: TreeObject): TreeObject[] {
  const list = opened(message.get('tool_calls'));
  const calls = listOf(list).flatMap((each) => {
    const call = opened(each instanceof Map ? (each.get('tool_call') ?? each) : each);
    if (!(call instanceof Map)) return [];
    const named = opened(call.get('function'));
    const from = named instanceof Map ? named : call;
    return [
      toolCall(call.get('id') ?? call.get('tool_call_id'), from.get('name'), from.get('arguments') ?? from.get('args')),
    ];
  });
  const name = message.get('function_call_name');
  if (name !== undefined) calls.push(toolCall(undefined, name, message.get('function_call_arguments_json')));
  const older = opened(message.get('function_call'));
  if (older instanceof Map) calls.push(toolCall(undefined, older.get('name'), older.get('arguments')));
  return calls;
}

function listOf(value: Tree | undefined): Tree[] {
  if (Array.isArray(value)) return value.map((each) => opened(each) ?? null);
  if (value instanceof Map && [...value.keys()].every(isIndex)) return [...value.values()];
  return [];
}

/** Some report a call twice: among the parts of the content, and beside it. */
function uniqueById(calls: TreeObject[]): TreeObject[] {
  const seen = new Set<Tree>();
  return calls.filter((call) => {
    const id = call.get('id');
    if (id === undefined) return true;
    return !seen.has(id) && seen.add(id);
  });
}
