import { opened, type Tree } from '../../tree.ts';
import { attribute, attributes, type Convention, type Source } from '../convention.ts';

/** Pydantic AI and Logfire, including the older forms in which messages were events. */
export const pydanticAi: Convention = {
  inputs: [
    ...attributes('all_messages_events'),
    messages('events', (name) => name !== choice),
    ...ofLogfire('tool_arguments', 'request_data'),
  ],
  output: [messages('events', (name) => name === choice), ...ofLogfire('tool_response', 'response_data')],
  attributes: {
    model: ofLogfire('model_name'),
    agent_name: ofLogfire('agent_name'),
    response_id: ofLogfire('response_id'),
    cost_details: attributes('operation.cost'),
  },
  usage: {
    input_tokens: ofLogfire('usage.input_tokens'),
    output_tokens: ofLogfire('usage.output_tokens'),
    cache_read_input_tokens: ofLogfire('usage.cached_input_tokens'),
    cache_creation_input_tokens: ofLogfire('usage.cache_write_input_tokens'),
  },
  kind: ofLogfire('sdk_span_type'),
  toolName: ofLogfire('name'),
  threadId: ofLogfire('group_id', 'metadata.thread_id', 'metadata.session_id'),
  labels: { user_id: ofLogfire('metadata.user_id') },
  inputMessages: [messages('events', (name) => name !== choice)],
  outputMessages: [messages('events', (name) => name === choice)],
  displayName: attributes('logfire.msg'),
};

/** Generic names that have this meaning only on spans described by Logfire's conventions. */
function ofLogfire(...keys: string[]): Source[] {
  return keys.map((key) => {
    const { read } = attribute(key);
    return { key, root: 'logfire', read: (span) => (span.attributes.tree.has('logfire') ? read(span) : undefined) };
  });
}

const choice = 'gen_ai.choice';

/** One attribute contains both prompt and response, distinguished by the names of events. */
function messages(key: string, isWanted: (eventName: Tree | undefined) => boolean): Source {
  const [events] = ofLogfire(key);
  return {
    key,
    root: 'logfire',
    read(span) {
      const list = opened(events!.read(span));
      if (!Array.isArray(list)) return undefined;
      return list.filter((event) => event instanceof Map && isWanted(event.get('event.name')));
    },
  };
}
