import { attributes, type Convention } from '../convention.ts';

/** LangSmith. Its "session" is a project; conversations are named in the metadata. */
export const langsmith: Convention = {
  inputs: attributes('langsmith.inputs'),
  output: attributes('langsmith.outputs'),
  usage: {
    cache_read_input_tokens: attributes('langsmith.metadata.usage_metadata.input_token_details.cache_read'),
    cache_creation_input_tokens: attributes('langsmith.metadata.usage_metadata.input_token_details.cache_creation'),
    reasoning_tokens: attributes('langsmith.metadata.usage_metadata.output_token_details.reasoning'),
  },
  attributes: {
    model: attributes('langsmith.metadata.ls_model_name'),
    provider: attributes('langsmith.metadata.ls_provider'),
  },
  labels: {
    user_id: attributes('langsmith.metadata.user_id'),
    metadata: attributes('langsmith.metadata'),
    tags: attributes('langsmith.span.tags'),
  },
  kind: attributes('langsmith.span.kind'),
  threadId: attributes(
    'langsmith.metadata.thread_id',
    'langsmith.metadata.conversation_id',
    'langsmith.metadata.session_id',
  ),
};
