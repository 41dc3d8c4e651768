import { attributes, type Convention } from '../convention.ts';

/** OpenLLMetry and Traceloop's SDK, including their older names. */
export const openLlmetry: Convention = {
  inputs: attributes('llm.prompts', 'llm.request.messages'),
  output: attributes('llm.completions', 'llm.response.messages'),
  usage: {
    prompt_tokens: attributes('llm.usage.prompt_tokens'),
    completion_tokens: attributes('llm.usage.completion_tokens'),
    reasoning_tokens: attributes('llm.usage.reasoning_tokens'),
    cache_read_input_tokens: attributes('llm.usage.cache_read_input_tokens'),
    cache_creation_input_tokens: attributes('llm.usage.cache_creation_input_tokens'),
  },
  attributes: {
    model: attributes('llm.response.model', 'llm.request.model'),
    provider: attributes('llm.vendor'),
    operation_name: attributes('llm.request.type'),
    workflow_name: attributes('traceloop.workflow.name'),
    entity_name: attributes('traceloop.entity.name'),
  },
  kind: attributes('llm.request.type'),
  toolName: attributes('traceloop.entity.name'),
  inputMessages: attributes('gen_ai.prompt', 'llm.prompts', 'llm.request.messages'),
  outputMessages: attributes('gen_ai.completion', 'llm.completions', 'llm.response.messages'),
  labels: {
    user_id: attributes(
      'traceloop.association.properties.user_id',
      'traceloop.association.properties.user.id',
      'llm.user',
    ),
    metadata: attributes('traceloop.association.properties'),
  },
  threadId: attributes(
    'traceloop.association.properties.thread_id',
    'traceloop.association.properties.conversation_id',
    'traceloop.association.properties.chat_id',
    'traceloop.association.properties.session_id',
    'traceloop.association.properties.session.id',
  ),
};
