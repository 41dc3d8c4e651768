import { opened, type Tree } from '../../tree.ts';
import { attribute, attributes, type Convention, type Source } from '../convention.ts';

/** Pydantic AI and Logfire, the older forms in which messages were events among them. */
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
  },
  displayName: attributes('logfire.msg'),
};

/** Plain words that mean this only on a span which Logfire's conventions describe. */
function ofLogfire(...keys: string[]): Source[] {
  return keys.map((key) => {
    const { read } = attribute(key);
    return { key, read: (span) => (span.attributes.tree.has('logfire') ? read(span) : undefined) };
  });
}

const choice = 'gen_ai.choice';

/** One attribute holds what was asked and what was answered, told apart by the names of events. */
function messages(key: string, isWanted: (eventName: Tree | undefined) => boolean): Source {
  const [events] = ofLogfire(key);
  return {
    key,
    read(span) {
      const list = opened(events!.read(span));
      if (!Array.isArray(list)) return undefined;
      return list.filter((event) => event instanceof Map && isWanted(event.get('event.name')));
    },
  };
}
