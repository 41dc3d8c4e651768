import { attributes, type Convention } from '../convention.ts';

/** OpenInference (Arize Phoenix), where a span has no `input.value` or `output.value`: what it says in detail. */
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
    cache_read_input_tokens: attributes('llm.token_count.prompt_details.cache_read'),
    cache_creation_input_tokens: attributes('llm.token_count.prompt_details.cache_write'),
  },
  attributes: {
    model: attributes('embedding.model_name', 'reranker.model_name'),
    model_parameters: attributes('embedding.invocation_parameters'),
    finish_reasons: attributes('llm.finish_reason'),
    agent_name: attributes('agent.name'),
    tool_name: attributes('tool.name'),
  },
  labels: { metadata: attributes('metadata'), tags: attributes('tag.tags') },
};
