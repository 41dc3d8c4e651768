import { attributes, type Convention } from '../convention.ts';

/**
 * What Weave's own server understands, in its order. It comes before all others, so that calls are the same as in
 * Weave.
 */
export const weave: Convention = {
  inputs: attributes(
    'ai.prompt',
    'gen_ai.prompt',
    'input.value',
    'mlflow.spanInputs',
    'gen_ai.input.messages',
    'pydantic_ai.all_messages',
    'traceloop.entity.input',
    'gcp.vertex.agent.tool_call_args',
    'gcp.vertex.agent.llm_request',
  ),
  output: attributes(
    'ai.response',
    'gen_ai.completion',
    'output.value',
    'gen_ai.output.messages',
    'mlflow.spanOutputs',
    'final_result',
    'gen_ai.content.completion',
    'traceloop.entity.output',
    'gcp.vertex.agent.tool_response',
    'gcp.vertex.agent.llm_response',
  ),
  usage: {
    input_tokens: attributes('gen_ai.usage.input_tokens'),
    prompt_tokens: attributes('gen_ai.usage.prompt_tokens', 'llm.token_count.prompt', 'ai.usage.promptTokens'),
    completion_tokens: attributes(
      'gen_ai.usage.completion_tokens',
      'llm.token_count.completion',
      'ai.usage.completionTokens',
    ),
    output_tokens: attributes('gen_ai.usage.output_tokens'),
    total_tokens: attributes('llm.usage.total_tokens', 'llm.token_count.total'),
    cache_creation_input_tokens: attributes('gen_ai.usage.cache_creation.input_tokens'),
    cache_read_input_tokens: attributes(
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.prompt_tokens_details.cached_tokens',
      'gen_ai.usage.input_tokens_details.cached_tokens',
      'prompt_tokens_details.cached_tokens',
    ),
  },
  attributes: {
    system: attributes('gen_ai.system_instructions', 'gen_ai.system', 'llm.system'),
    model: attributes('gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name', 'ai.model.id'),
    provider: attributes('gen_ai.provider.name', 'llm.provider', 'ai.model.provider'),
    model_parameters: attributes('gen_ai.request', 'llm.invocation_parameters'),
    operation_name: attributes('gen_ai.operation.name'),
    response_id: attributes('gen_ai.response.id'),
    finish_reasons: attributes('gen_ai.response.finish_reasons'),
    agent_name: attributes('gen_ai.agent.name'),
    agent_id: attributes('gen_ai.agent.id'),
  },
  kind: attributes('weave.span.kind', 'traceloop.span.kind', 'openinference.span.kind'),
  threadId: attributes('gen_ai.conversation.id', 'gcp.vertex.agent.session_id', 'wandb.thread_id'),
  displayName: attributes('wandb.display_name'),
};
