import { attributes, type Convention } from '../convention.ts';
import { unquoted } from '../unquoted.ts';

/** Langfuse's SDKs. */
export const langfuse: Convention = {
  inputs: attributes('langfuse.observation.input', 'langfuse.trace.input'),
  output: attributes('langfuse.observation.output', 'langfuse.trace.output'),
  usage: {
    input_tokens: attributes(
      'langfuse.observation.usage_details.input',
      'langfuse.observation.usage_details.input_tokens',
      'langfuse.observation.usage_details.prompt_tokens',
    ),
    output_tokens: attributes(
      'langfuse.observation.usage_details.output',
      'langfuse.observation.usage_details.output_tokens',
      'langfuse.observation.usage_details.completion_tokens',
    ),
    total_tokens: attributes(
      'langfuse.observation.usage_details.total',
      'langfuse.observation.usage_details.total_tokens',
    ),
    cache_read_input_tokens: attributes(
      'langfuse.observation.usage_details.cache_read_input_tokens',
      'langfuse.observation.usage_details.input_cached_tokens',
      'langfuse.observation.usage_details.input_cache_read',
    ),
    cache_creation_input_tokens: attributes(
      'langfuse.observation.usage_details.cache_creation_input_tokens',
      'langfuse.observation.usage_details.input_cache_creation',
    ),
    reasoning_tokens: attributes(
      'langfuse.observation.usage_details.output_reasoning_tokens',
      'langfuse.observation.usage_details.output_reasoning',
      'langfuse.observation.usage_details.reasoning_tokens',
    ),
  },
  attributes: {
    model: attributes('langfuse.observation.model.name'),
    model_parameters: attributes('langfuse.observation.model.parameters'),
    cost_details: attributes('langfuse.observation.cost_details'),
    level: attributes('langfuse.observation.level'),
  },
  labels: {
    user_id: attributes('langfuse.user.id'),
    metadata: unquoted('langfuse.observation.metadata', 'langfuse.trace.metadata'),
    tags: attributes('langfuse.trace.tags'),
  },
  kind: attributes('langfuse.observation.type'),
  threadId: attributes('langfuse.session.id'),
};
