import { plainText, valueAt } from '../../tree.ts';
import { attribute, attributes, type Convention, type Source } from '../convention.ts';
import { countInPython } from '../count-in-python.ts';

/**
 * OpenInference (Arize Phoenix; its smolagents have details of usage only in the complete response). For spans without
 * `input.value` or `output.value`: the detailed attributes.
 */
export const openInference: Convention = {
  inputs: attributes(
    'llm.input_messages',
    'llm.prompts',
    'llm.prompt_template.variables',
    'tool.parameters',
    'embedding.embeddings',
    'reranker.input_documents',
  ),
  output: attributes('llm.output_messages', 'llm.choices', 'retrieval.documents', 'reranker.output_documents'),
  usage: {
    cache_read_input_tokens: [
      attribute('llm.token_count.prompt_details.cache_read'),
      countInPython('output.value.raw', 'cached_tokens'),
    ],
    cache_creation_input_tokens: attributes('llm.token_count.prompt_details.cache_write'),
    reasoning_tokens: [
      attribute('llm.token_count.completion_details.reasoning'),
      countInPython('output.value.raw', 'reasoning_tokens'),
    ],
  },
  attributes: {
    model: attributes(
      'llm.response.model_name',
      'llm.request.model_name',
      'embedding.model_name',
      'reranker.model_name',
    ),
    cost_details: attributes('llm.cost'),
    model_parameters: attributes('embedding.invocation_parameters'),
    response_id: attributes('output.value.response_id', 'output.value.responseId').map(ofRequest),
    finish_reasons: attributes('llm.finish_reason'),
    agent_name: attributes('agent.name'),
    tool_name: attributes('tool.name'),
  },
  labels: {
    user_id: attributes('user.id', 'metadata.user_id', 'metadata.userId', 'llm.invocation_parameters.user'),
    metadata: attributes('metadata'),
    tags: attributes('tag.tags'),
  },
  threadId: attributes('session.id', 'metadata.thread_id', 'metadata.session_id', 'metadata.conversation_id'),
  toolName: attributes('tool.name', 'tool_call.function.name'),
  inputMessages: attributes('llm.input_messages'),
  outputMessages: attributes('llm.output_messages'),
};

/** The id in a complete response of a model. Other outputs may have a member of this name too. */
function ofRequest({ read, ...source }: Source): Source {
  const isOfModel = (kind: string) => kind.toUpperCase() === 'LLM';
  return {
    ...source,
    read: (span) =>
      isOfModel(plainText(valueAt(span.attributes.tree, ['openinference', 'span', 'kind']))) ? read(span) : undefined,
  };
}
