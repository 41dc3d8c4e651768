import { plainText, valueAt } from '../../tree.ts';
import { attribute, attributes, type Convention, type Source } from '../convention.ts';

/** The Vercel AI SDK: tools, embeddings, and the names of usage since its version 5. */
export const vercelAi: Convention = {
  inputs: attributes('ai.toolCall.args', 'ai.values', 'ai.value'),
  output: attributes('ai.toolCall.result', 'ai.embeddings', 'ai.embedding', 'ai.ranking'),
  usage: {
    input_tokens: ofOneRequest('ai.usage.inputTokens', 'ai.usage.tokens'),
    output_tokens: ofOneRequest('ai.usage.outputTokens'),
    total_tokens: ofOneRequest('ai.usage.totalTokens'),
    cache_read_input_tokens: ofOneRequest(
      'ai.usage.cachedInputTokens',
      'ai.response.providerMetadata.anthropic.cacheReadInputTokens',
      'ai.response.providerMetadata.bedrock.usage.cacheReadInputTokens',
      'ai.response.providerMetadata.openai.cachedPromptTokens',
    ),
    reasoning_tokens: ofOneRequest('ai.usage.reasoningTokens', 'ai.usage.outputTokenDetails.reasoningTokens'),
    cache_creation_input_tokens: ofOneRequest(
      'ai.usage.inputTokenDetails.cacheWriteTokens',
      'ai.response.providerMetadata.anthropic.cacheCreationInputTokens',
      'ai.response.providerMetadata.anthropic.usage.cache_creation_input_tokens',
      'ai.response.providerMetadata.bedrock.usage.cacheWriteInputTokens',
    ),
  },
  attributes: {
    operation_name: attributes('ai.operationId'),
    model_parameters: attributes('ai.settings'),
    finish_reasons: attributes('ai.finishReason'),
    tool_name: attributes('ai.toolCall.name'),
    function_id: attributes('ai.telemetry.functionId'),
  },
  labels: {
    user_id: attributes('ai.telemetry.metadata.userId', 'ai.telemetry.metadata.user_id'),
    metadata: attributes('ai.telemetry.metadata'),
  },
  kind: attributes('ai.operationId'),
  toolName: attributes('ai.toolCall.name'),
  threadId: attributes(
    'ai.telemetry.metadata.threadId',
    'ai.telemetry.metadata.thread_id',
    'ai.telemetry.metadata.conversationId',
    'ai.telemetry.metadata.chatId',
    'ai.telemetry.metadata.sessionId',
    'ai.telemetry.metadata.session_id',
  ),
};

/** The spans around requests (`ai.generateText`) repeat the sum of their children (`ai.generateText.doGenerate`). */
function ofOneRequest(...keys: string[]): Source[] {
  return keys.map((key) => {
    const { read, ...place } = attribute(key);
    return { ...place, read: (span) => (isOneRequest(span.attributes.tree) ? read(span) : undefined) };
  });
}

function isOneRequest(tree: Parameters<typeof valueAt>[0]): boolean {
  return /\.do[A-Z]\w*$/.test(plainText(valueAt(tree, ['ai', 'operationId'])));
}
