import { attribute, attributes, type Convention } from '../convention.ts';

/**
 * Generic names that anyone may use; read last, because other conventions' keys start with them too (`input.value`).
 */
export const generic: Convention = {
  inputs: [
    { ...attribute('input'), isWhole: true },
    { ...attribute('inputs'), isWhole: true },
  ],
  output: [
    { ...attribute('output'), isWhole: true },
    { ...attribute('outputs'), isWhole: true },
  ],
  kind: attributes('span.kind', 'span_kind', 'span_type'),
  toolName: attributes('tool_name', 'mcp.tool.name', 'function.name'),
  labels: { user_id: attributes('user_id', 'llm.user') },
  threadId: attributes('conversation.id', 'conversation_id', 'thread_id', 'session_id', 'group_id'),
};
