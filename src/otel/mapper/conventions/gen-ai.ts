import { isTruthy, opened, plainText, type Tree, type TreeObject, valueAt } from '../../tree.ts';
import { attributes, type Convention, type Source } from '../convention.ts';

const details = 'gen_ai.client.inference.operation.details';

/** Where messages are: attributes, events that contain all of them, or one event for each. */
const inputMessages = [
  ...attributes('gen_ai.input.messages'),
  listsOfEvents(details, 'gen_ai.input.messages'),
  eventAttribute('gen_ai.content.prompt', 'gen_ai.prompt'),
  messagesOfEvents('gen_ai.input.messages', {
    'gen_ai.system.message': 'system',
    'gen_ai.user.message': 'user',
    'gen_ai.assistant.message': 'assistant',
    'gen_ai.tool.message': 'tool',
  }),
];
const outputMessages = [
  ...attributes('gen_ai.output.messages'),
  listsOfEvents(details, 'gen_ai.output.messages'),
  eventAttribute('gen_ai.content.completion', 'gen_ai.completion'),
  messagesOfEvents('gen_ai.output.messages', { 'gen_ai.choice': 'assistant' }),
];

/**
 * OpenTelemetry's own conventions, as far as Weave does not follow them: tools, embeddings, older forms, span events.
 */
export const genAi: Convention = {
  inputs: [
    ...attributes('gen_ai.tool.call.arguments', 'gen_ai.retrieval.query.text', 'gen_ai.embeddings.input'),
    ofTool('gen_ai.tool.call.arguments', 'gen_ai.tool.message', 'content'),
    ...inputMessages,
  ],
  output: [
    ...attributes('gen_ai.tool.call.result', 'gen_ai.retrieval.documents'),
    ofTool('gen_ai.tool.call.result', 'gen_ai.choice', 'message'),
    ...outputMessages,
  ],
  inputMessages,
  outputMessages,
  instructions: [...attributes('gen_ai.system_instructions'), eventAttribute(details, 'gen_ai.system_instructions')],
  usage: {
    total_tokens: attributes('gen_ai.usage.total_tokens'),
    cache_creation_input_tokens: attributes(
      'gen_ai.usage.cache_creation_input_tokens',
      'gen_ai.usage.cache_write.input_tokens',
      'gen_ai.usage.cache_write_input_tokens',
    ),
    cache_read_input_tokens: attributes(
      'gen_ai.usage.cache_read_input_tokens',
      'gen_ai.usage.details.cache_read_tokens',
      'gen_ai.usage.input_tokens_cached',
    ),
    reasoning_tokens: attributes(
      'gen_ai.usage.reasoning.output_tokens',
      'gen_ai.usage.reasoning_tokens',
      'gen_ai.usage.details.reasoning_tokens',
      'gen_ai.usage.output_tokens_details.reasoning_tokens',
      'gen_ai.usage.completion_tokens_details.reasoning_tokens',
    ),
  },
  attributes: {
    system: [eventAttribute(details, 'gen_ai.system_instructions')],
    finish_reasons: attributes('gen_ai.response.finish_reason'),
    tool_name: attributes('gen_ai.tool.name'),
    cost_details: attributes('gen_ai.cost', 'gen_ai.usage.cost'),
  },
  labels: {
    user_id: attributes('user.id', 'enduser.id', 'gen_ai.user.id', 'gen_ai.request.user', 'enduser.pseudo.id'),
  },
  threadId: attributes('session.id', 'gen_ai.session.id', 'gen_ai.thread.id'),
  kind: attributes('gen_ai.operation.name'),
  toolName: attributes('gen_ai.tool.name'),
};

/** An attribute of the first event with this name that has it. */
function eventAttribute(event: string, key: string): Source {
  return { key, ofEvents: true, read: (span) => valuesOfEvents(span.events, event, key)[0] };
}

/** The lists of all events with a name, combined: a span may split its messages over several. */
function listsOfEvents(event: string, key: string): Source {
  return {
    key,
    ofEvents: true,
    read({ events }) {
      const values = valuesOfEvents(events, event, key);
      const lists = values.map((value) => opened(value));
      return lists.length > 0 && lists.every(Array.isArray) ? lists.flat() : values[0];
    },
  };
}

function valuesOfEvents(events: Parameters<Source['read']>[0]['events'], event: string, key: string): Tree[] {
  const path = key.split('.');
  return events.flatMap(({ name, attributes }) => {
    const value = name === event ? valueAt(attributes.tree, path) : undefined;
    return isTruthy(value) ? [value!] : [];
  });
}

/** What an event says about the call of a tool, on the span of that call. */
function ofTool(key: string, event: string, member: string): Source {
  return {
    key,
    ofEvents: true,
    read({ events, attributes: { tree } }) {
      if (events.length === 0 || plainText(valueAt(tree, ['gen_ai', 'operation', 'name'])) !== 'execute_tool')
        return undefined;
      return valuesOfEvents(events, event, member)[0];
    },
  };
}

/** The attributes of events with one message each, with the role given by the event's name. */
function messagesOfEvents(key: string, roles: Record<string, string>): Source {
  return {
    key,
    ofEvents: true,
    read: ({ events }) => {
      const messages = events.filter(({ name }) => Object.hasOwn(roles, name));
      return messages.map(({ name, attributes }): Tree => withRole(roles[name]!, attributes.tree));
    },
  };
}

/** Some write the message as JSON text into the body of a log record, whose attributes are then not part of it. */
function withRole(role: string, attributes: TreeObject): TreeObject {
  const body = opened(attributes.get('body'));
  return new Map<string, Tree>([['role', role], ...(body instanceof Map ? body : attributes)]);
}
