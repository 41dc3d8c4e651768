import { type Tree, type TreeObject, valueAt } from '../../tree.ts';
import { attributes, type Convention, type Source } from '../convention.ts';

/** OpenTelemetry's own conventions, where Weave does not follow them: tools, embeddings, older forms, events of a span. */
export const genAi: Convention = {
  inputs: [
    ...attributes('gen_ai.tool.call.arguments', 'gen_ai.retrieval.query.text', 'gen_ai.embeddings.input'),
    eventAttribute('gen_ai.client.inference.operation.details', 'gen_ai.input.messages'),
    eventAttribute('gen_ai.content.prompt', 'gen_ai.prompt'),
    messagesOfEvents('gen_ai.input.messages', {
      'gen_ai.system.message': 'system',
      'gen_ai.user.message': 'user',
      'gen_ai.assistant.message': 'assistant',
      'gen_ai.tool.message': 'tool',
    }),
  ],
  output: [
    ...attributes('gen_ai.tool.call.result', 'gen_ai.retrieval.documents'),
    eventAttribute('gen_ai.client.inference.operation.details', 'gen_ai.output.messages'),
    eventAttribute('gen_ai.content.completion', 'gen_ai.completion'),
    messagesOfEvents('gen_ai.output.messages', { 'gen_ai.choice': 'assistant' }),
  ],
  usage: {
    total_tokens: attributes('gen_ai.usage.total_tokens'),
    cache_creation_input_tokens: attributes('gen_ai.usage.cache_creation_input_tokens'),
    cache_read_input_tokens: attributes(
      'gen_ai.usage.cache_read_input_tokens',
      'gen_ai.usage.details.cache_read_tokens',
      'gen_ai.usage.input_tokens_cached',
    ),
  },
  attributes: {
    system: [eventAttribute('gen_ai.client.inference.operation.details', 'gen_ai.system_instructions')],
    tool_name: attributes('gen_ai.tool.name'),
  },
  labels: { user_id: attributes('user.id', 'enduser.id') },
  threadId: attributes('session.id'),
};

/** An attribute of the first event of a name. */
function eventAttribute(event: string, key: string): Source {
  const path = key.split('.');
  return {
    key,
    read: ({ events }) => {
      const found = events.find(({ name }) => name === event);
      return found && valueAt(found.attributes.tree, path);
    },
  };
}

/** The attributes of events that are one message each, with the role that the event's name tells. */
function messagesOfEvents(key: string, roles: Record<string, string>): Source {
  return {
    key,
    read: ({ events }) => {
      const messages = events.filter(({ name }) => Object.hasOwn(roles, name));
      return messages.map(({ name, attributes }): Tree => withRole(roles[name]!, attributes.tree));
    },
  };
}

function withRole(role: string, message: TreeObject): TreeObject {
  return new Map<string, Tree>([['role', role], ...message]);
}
